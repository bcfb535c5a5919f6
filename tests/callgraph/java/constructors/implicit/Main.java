class Plain {
    void go() {
    }
}

public class Main {
    public static void main(String[] args) {
        new Plain().go();
    }
}
