class Base {
    void shared() {
        hook();
    }

    void hook() {
    }
}

class Derived extends Base {
    void own() {
        shared();
    }
}

public class Main {
    public static void main(String[] args) {
        Derived derived = new Derived();
        derived.own();
        derived.shared();
    }
}
