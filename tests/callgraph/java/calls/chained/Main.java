class Engine {
    void start() {
    }
}

class Car {
    private final Engine engine = new Engine();

    Engine engine() {
        return engine;
    }

    Car self() {
        return this;
    }
}

public class Main {
    public static void main(String[] args) {
        new Car().self().engine().start();
    }
}
