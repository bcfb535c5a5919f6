class Base {
    Base() {
        ready();
    }

    void ready() {
    }
}

class Middle extends Base {
}

class Derived extends Middle {
    Derived() {
        ready();
    }
}

public class Main {
    public static void main(String[] args) {
        new Derived();
        new Middle();
    }
}
