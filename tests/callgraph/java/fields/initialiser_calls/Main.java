public class Main {
    private final int first = count();
    private static final String NAME = load();

    {
        prepare();
    }

    static {
        register();
    }

    static int count() {
        return 1;
    }

    static String load() {
        return "";
    }

    void prepare() {
    }

    static void register() {
    }
}
