class Left {
    public String toString() {
        return "left";
    }
}

class Right {
    public String toString() {
        return "right";
    }
}

public class Main {
    static void show(Object side) {
        if (side instanceof Left) {
            side.toString();
        }
    }

    static void same(Object side) {
        if (side.getClass() == Right.class) {
            side.toString();
        }
    }

    public static void main(String[] args) {
        show(new Left());
        show(new Right());
        same(new Left());
        same(new Right());
    }
}
