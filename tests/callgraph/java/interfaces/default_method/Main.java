interface Named {
    String name();

    default String title() {
        return "the " + name();
    }
}

class King implements Named {
    public String name() {
        return "king";
    }
}

public class Main {
    public static void main(String[] args) {
        Named named = new King();
        named.title();
    }
}
