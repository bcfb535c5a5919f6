class Base {
    void go() {
    }
}

class Derived extends Base {
    @Override
    void go() {
    }
}

public class Main {
    static void derived() {
        Base base = new Derived();
        base.go();
    }

    static void base() {
        Base base = new Base();
        base.go();
    }
}
