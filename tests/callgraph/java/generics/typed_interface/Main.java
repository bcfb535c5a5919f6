interface Handler<T> {
    void handle(T value);
}

class Texts implements Handler<String> {
    public void handle(String value) {
    }
}

class Numbers implements Handler<Integer> {
    public void handle(Integer value) {
    }
}

public class Main {
    static void texts() {
        Handler<String> handler = new Texts();
        handler.handle("a");
    }

    static <T> void any(Handler<T> handler, T value) {
        handler.handle(value);
    }

    static void numbers() {
        any(new Numbers(), 3);
    }
}
