package shop;

public class Prices {
    public static int sum(int n) {
        return n;
    }
}
