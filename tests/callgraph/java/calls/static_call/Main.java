public class Main {
    public static void main(String[] args) {
        greet();
        Main.leave();
    }

    static void greet() {
        name();
    }

    static String name() {
        return "you";
    }

    static void leave() {
    }
}
