class Broken extends RuntimeException {
    Broken(String text) {
        super(text);
    }

    String hint() {
        return "";
    }
}

class Handle implements AutoCloseable {
    void read() {
        throw new Broken("a");
    }

    @Override
    public void close() {
    }
}

public class Main {
    public static void main(String[] args) {
        try (Handle handle = new Handle()) {
            handle.read();
        } catch (Broken broken) {
            broken.hint();
        } finally {
            end();
        }
    }

    static void end() {
    }
}
