class Tool {
    void use() {
    }
}

class Lamp {
    void use() {
    }
}

public class Main {
    private final Tool item = new Tool();

    void local() {
        Lamp item = new Lamp();
        item.use();
    }

    void field() {
        item.use();
    }

    void blocks() {
        {
            Tool each = new Tool();
        }
        {
            Lamp each = new Lamp();
            each.use();
        }
    }

    void parameter(Lamp item) {
        item.use();
        this.item.use();
    }
}
