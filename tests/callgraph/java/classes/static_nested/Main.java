public class Main {
    static class Builder {
        Builder size(int n) {
            return this;
        }

        Main build() {
            return new Main(this);
        }
    }

    private Main(Builder builder) {
    }

    void run() {
    }

    public static void main(String[] args) {
        new Main.Builder().size(3).build().run();
    }
}
