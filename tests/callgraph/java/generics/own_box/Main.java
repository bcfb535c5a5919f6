class Box<T> {
    private T held;

    void put(T value) {
        held = value;
    }

    T get() {
        return held;
    }
}

class Bell {
    void ring() {
    }
}

public class Main {
    public static void main(String[] args) {
        Box<Bell> box = new Box<>();
        box.put(new Bell());
        box.get().ring();
    }
}
