public class Main {
    static void show() {
        show(1);
    }

    static void show(int a) {
        show(a, 2);
    }

    static void show(int a, int b) {
    }

    public static void main(String[] args) {
        show();
    }
}
