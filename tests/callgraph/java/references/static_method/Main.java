import java.util.function.IntUnaryOperator;

public class Main {
    static int half(int n) {
        return n / 2;
    }

    public static void main(String[] args) {
        IntUnaryOperator f = Main::half;
        f.applyAsInt(4);
    }
}
