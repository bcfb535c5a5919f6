class Clock {
    int now() {
        return 0;
    }
}

public class Main {
    private Clock clock;
    private static Clock shared;

    Main(Clock clock) {
        this.clock = clock;
    }

    int time() {
        return clock.now() + shared.now();
    }
}
