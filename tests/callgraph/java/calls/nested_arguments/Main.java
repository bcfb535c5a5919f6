public class Main {
    static int one() {
        return 1;
    }

    static int two(int n) {
        return n;
    }

    static boolean three(int n) {
        return n > 0;
    }

    public static void main(String[] args) {
        int[] sizes = {one(), two(one())};
        if (three(two(sizes[0])) && !three(1)) {
            System.out.println("" + two(3));
        }
    }
}
