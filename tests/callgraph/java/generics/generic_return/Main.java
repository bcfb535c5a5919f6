class Lamp {
    void light() {
    }
}

public class Main {
    static <T> T same(T value) {
        return value;
    }

    public static void main(String[] args) {
        Lamp lamp = same(new Lamp());
        lamp.light();
    }
}
