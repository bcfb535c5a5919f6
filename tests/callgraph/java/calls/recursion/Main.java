public class Main {
    static int even(int n) {
        return n == 0 ? 1 : odd(n - 1);
    }

    static int odd(int n) {
        return n == 0 ? 0 : even(n - 1);
    }

    static int down(int n) {
        if (n > 0) {
            return down(n - 1);
        }
        return even(n);
    }
}
