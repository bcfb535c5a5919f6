package shop.tools;

public class Clock {
    public static void tick() {
    }
}
