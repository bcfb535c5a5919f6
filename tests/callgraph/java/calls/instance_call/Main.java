public class Main {
    private void first() {
        this.second();
    }

    private void second() {
        third();
    }

    private void third() {
    }

    public static void main(String[] args) {
        Main main = new Main();
        main.first();
    }
}
