class Base {
    void put(int n) {
    }

    void put(String text) {
    }
}

class Derived extends Base {
    @Override
    void put(String text) {
    }

    void put(char c) {
    }
}

public class Main {
    void run() {
        Derived derived = new Derived();
        derived.put(1);
        derived.put("a");
    }
}
