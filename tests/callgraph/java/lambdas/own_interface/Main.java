public class Main {
    interface Greeter {
        void greet(String name);

        default void twice(String name) {
            greet(name);
            greet(name);
        }
    }

    static void hello(String name) {
    }

    public static void main(String[] args) {
        Greeter greeter = name -> hello(name);
        greeter.twice("you");
    }
}
