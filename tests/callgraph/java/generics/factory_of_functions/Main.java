import java.util.*;
import java.util.function.*;

abstract class Animal {
    abstract void speak();
}

class Cow extends Animal {
    void speak() {
    }
}

class Hen extends Animal {
    void speak() {
    }
}

public class Main {
    private static final Map<String, Supplier<Animal>> MAKERS = new HashMap<>();

    static {
        MAKERS.put("cow", Cow::new);
        MAKERS.put("hen", () -> new Hen());
    }

    static Animal make(String kind) {
        return MAKERS.get(kind).get();
    }

    public static void main(String[] args) {
        make(args[0]).speak();
    }
}
