class Config {
    private static Config instance;

    private Config() {
        load();
    }

    static Config get() {
        if (instance == null) {
            instance = new Config();
        }
        return instance;
    }

    private void load() {
    }

    String value() {
        return "";
    }
}

public class Main {
    public static void main(String[] args) {
        Config.get().value();
    }
}
