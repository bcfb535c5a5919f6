public class Main {
    static void step() {
    }

    public static void main(String[] args) {
        class Walker {
            void walk() {
                step();
            }
        }
        new Walker().walk();
    }
}
