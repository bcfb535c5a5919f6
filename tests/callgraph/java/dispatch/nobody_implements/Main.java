interface Plugin {
    void load();
}

public class Main {
    void start(Plugin plugin) {
        plugin.load();
    }
}
