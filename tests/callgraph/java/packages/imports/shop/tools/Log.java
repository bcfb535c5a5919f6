package shop.tools;

public class Log {
    public static void write(String text) {
    }
}
