import java.util.function.Supplier;

class Part {
    Part() {
    }

    void fit() {
    }
}

public class Main {
    public static void main(String[] args) {
        Supplier<Part> parts = Part::new;
        parts.get().fit();
    }
}
