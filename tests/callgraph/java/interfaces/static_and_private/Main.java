interface Tool {
    static Tool make() {
        return new Hammer();
    }

    default void use() {
        prepare();
    }

    private void prepare() {
    }
}

class Hammer implements Tool {
}

public class Main {
    public static void main(String[] args) {
        Tool.make().use();
    }
}
