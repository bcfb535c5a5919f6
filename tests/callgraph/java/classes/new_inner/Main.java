class Outer {
    class Inner {
        Inner() {
            touch();
        }

        void go() {
        }
    }

    void touch() {
    }
}

public class Main {
    public static void main(String[] args) {
        Outer outer = new Outer();
        Outer.Inner inner = outer.new Inner();
        inner.go();
    }
}
