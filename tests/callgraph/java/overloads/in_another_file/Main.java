public class Main {
    void run(Printer printer, String text) {
        printer.print(text);
    }

    void count(Printer printer) {
        printer.print(3L);
    }
}
