import java.util.stream.Stream;

class Worker {
    Worker(String name) {
    }

    void work() {
    }
}

public class Main {
    public static void main(String[] args) {
        Stream.of("a", "b").map(Worker::new).forEach(worker -> worker.work());
    }
}
