class Circle {
    double radius() {
        return 1;
    }
}

class Square {
    double side() {
        return 1;
    }
}

public class Main {
    static double size(Object shape) {
        if (shape instanceof Circle circle && circle.radius() > 0) {
            return circle.radius();
        }
        return ((Square) shape).side();
    }

    public static void main(String[] args) {
        size(new Circle());
        size(new Square());
    }
}
