class Printer {
    void print(String text) {
    }
}

public class Main {
    static void each(java.util.function.Consumer<String> consumer) {
        consumer.accept("a");
    }

    public static void main(String[] args) {
        Printer printer = new Printer();
        each(printer::print);
    }
}
