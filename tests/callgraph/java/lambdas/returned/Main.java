import java.util.function.Supplier;

class Provider {
    static void log() {
    }

    static Supplier<String> make() {
        return () -> {
            log();
            return "";
        };
    }
}

public class Main {
    public static void main(String[] args) {
        Supplier<String> supplier = Provider.make();
        supplier.get();
    }
}
