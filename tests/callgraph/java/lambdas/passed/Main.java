import java.util.function.Function;

public class Main {
    static int twice(Function<Integer, Integer> f, int n) {
        return f.apply(f.apply(n));
    }

    static int add(int n) {
        return n + 1;
    }

    public static void main(String[] args) {
        twice(n -> add(n), 3);
    }
}
