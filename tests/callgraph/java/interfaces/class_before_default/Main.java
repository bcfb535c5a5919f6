interface Runner {
    default void go() {
    }
}

class Base {
    public void go() {
    }
}

class Derived extends Base implements Runner {
}

public class Main {
    public static void main(String[] args) {
        Runner runner = new Derived();
        runner.go();
    }
}
