class Size {
    void check() {
    }
}

public class Main {
    private final Size size = new Size();

    Size size() {
        return size;
    }

    void run() {
        size().check();
        size.check();
    }
}
