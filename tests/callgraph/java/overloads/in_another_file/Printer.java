public class Printer {
    public void print(String text) {
    }

    public void print(long number) {
    }

    public void print(String text, int times) {
    }
}
