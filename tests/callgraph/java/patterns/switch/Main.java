sealed interface Event permits Open, Close {
}

record Open(String name) implements Event {
    void greet() {
    }
}

record Close(Reason reason) implements Event {
}

class Reason {
    void log() {
    }
}

public class Main {
    static String handle(Event event) {
        return switch (event) {
            case Open open -> {
                open.greet();
                yield opened();
            }
            case Close(Reason reason) -> {
                reason.log();
                yield "";
            }
        };
    }

    static String opened() {
        return "";
    }
}
