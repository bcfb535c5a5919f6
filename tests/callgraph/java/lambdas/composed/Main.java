import java.util.function.Function;

public class Main {
    static int inc(int n) {
        return n + 1;
    }

    static int dbl(int n) {
        return n * 2;
    }

    public static void main(String[] args) {
        Function<Integer, Integer> first = n -> inc(n);
        Function<Integer, Integer> both = first.andThen(Main::dbl);
        both.apply(1);
    }
}
