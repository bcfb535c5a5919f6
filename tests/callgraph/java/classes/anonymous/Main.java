public class Main {
    interface Action {
        void act();
    }

    static void perform(Action action) {
        action.act();
    }

    static void done() {
    }

    public static void main(String[] args) {
        perform(new Action() {
            @Override
            public void act() {
                done();
            }
        });
    }
}
