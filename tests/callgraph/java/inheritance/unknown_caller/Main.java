class Plug {
    void fit() {
    }
}

public class Main {
    void use(Plug plug) {
        plug.fit();
    }
}
