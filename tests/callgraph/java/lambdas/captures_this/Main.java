public class Main {
    private int count;

    void tick() {
        count++;
    }

    Runnable ticker() {
        return () -> tick();
    }

    public static void main(String[] args) {
        new Main().ticker().run();
    }
}
