interface Shape {
    void draw();
}

class Dot implements Shape {
    public void draw() {
    }
}

class Line implements Shape {
    public void draw() {
    }
}

public class Main {
    static final Shape[] SHAPES = {new Dot(), new Line()};

    static void first() {
        SHAPES[0].draw();
    }

    static void every() {
        for (Shape shape : SHAPES) {
            shape.draw();
        }
    }

    static void later() {
        Shape[] shapes = new Shape[2];
        shapes[1] = new Line();
        shapes[1].draw();
    }
}
