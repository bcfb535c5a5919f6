public class Main {
    static void work() {
    }

    public static void main(String[] args) {
        Runnable task = () -> work();
        task.run();
    }
}
