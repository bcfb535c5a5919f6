class Base {
    protected String kind() {
        return "base";
    }
}

public class Main extends Base {
    private String own() {
        return "main";
    }

    String both() {
        java.util.function.Supplier<String> first = this::own;
        java.util.function.Supplier<String> second = super::kind;
        return first.get() + second.get();
    }
}
