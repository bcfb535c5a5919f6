public class Main {
    static void log(String format, Object... values) {
    }

    static void log(String text) {
    }

    static void plain() {
        log("a");
    }

    static void filled() {
        log("a", 1, 2);
    }
}
