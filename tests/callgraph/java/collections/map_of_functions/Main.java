import java.util.HashMap;
import java.util.Map;

public class Main {
    static void start() {
    }

    static void stop() {
    }

    public static void main(String[] args) {
        Map<String, Runnable> commands = new HashMap<>();
        commands.put("start", () -> start());
        commands.put("stop", Main::stop);
        commands.get("start").run();
    }

    static void every() {
        Map<String, Runnable> commands = new HashMap<>();
        commands.put("start", () -> start());
        commands.put("stop", Main::stop);
        for (Runnable command : commands.values()) {
            command.run();
        }
    }
}
