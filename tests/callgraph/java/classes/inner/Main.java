public class Main {
    private final Inner inner = new Inner();

    class Inner {
        void call() {
            outer();
            Main.this.other();
        }
    }

    void outer() {
    }

    void other() {
    }

    void start() {
        inner.call();
    }
}
