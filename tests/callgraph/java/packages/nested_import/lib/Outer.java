package lib;

public class Outer {
    public static class Inner {
        public void go() {
        }

        public static void fixed() {
        }
    }
}
