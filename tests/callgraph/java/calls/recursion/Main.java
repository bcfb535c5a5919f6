public class Main {
    static int even(int n) {
        return n 