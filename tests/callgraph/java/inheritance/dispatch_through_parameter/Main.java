class Shape {
    double area() {
        return 0;
    }
}

class Circle extends Shape {
    @Override
    double area() {
        return 3;
    }
}

class Square extends Shape {
    @Override
    double area() {
        return 1;
    }
}

public class Main {
    static double measure(Shape shape) {
        return shape.area();
    }

    public static void main(String[] args) {
        measure(new Circle());
    }
}
