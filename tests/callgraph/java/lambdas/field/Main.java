import java.util.function.Predicate;

public class Main {
    private final Predicate<String> check = text -> valid(text);

    private static boolean valid(String text) {
        return !text.isEmpty();
    }

    boolean accept(String text) {
        return check.test(text);
    }
}
