abstract class Mode {
    abstract void apply();
}

class Dark extends Mode {
    void apply() {
    }
}

class Light extends Mode {
    void apply() {
    }
}

class Settings {
    Mode mode;

    void use() {
        mode.apply();
    }
}

public class Main {
    public static void main(String[] args) {
        Settings settings = new Settings();
        settings.mode = new Dark();
        settings.use();
    }
}
