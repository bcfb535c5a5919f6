import java.util.concurrent.*;

public class Main {
    static int load() {
        return 1;
    }

    static void show(int n) {
    }

    static void tidy() {
    }

    public static void main(String[] args) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        Future<Integer> future = pool.submit(() -> load());
        pool.execute(Main::tidy);
        CompletableFuture.supplyAsync(() -> load()).thenAccept(n -> show(n));
    }
}
