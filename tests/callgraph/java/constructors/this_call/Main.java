class Box {
    Box() {
        this(1);
    }

    Box(int size) {
        grow(size);
    }

    void grow(int size) {
    }
}

public class Main {
    public static void main(String[] args) {
        new Box();
    }
}
