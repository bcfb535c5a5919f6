class Base {
    Base(String name) {
        log(name);
    }

    void log(String name) {
    }
}

class Derived extends Base {
    Derived() {
        super("derived");
    }
}

public class Main {
    public static void main(String[] args) {
        new Derived();
    }
}
