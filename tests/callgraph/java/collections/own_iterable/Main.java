import java.util.Iterator;

class Bag implements Iterable<String> {
    public Iterator<String> iterator() {
        return new Walk();
    }

    static class Walk implements Iterator<String> {
        public boolean hasNext() {
            return false;
        }

        public String next() {
            return "";
        }
    }
}

public class Main {
    public static void main(String[] args) {
        for (String text : new Bag()) {
            System.out.println(text);
        }
    }
}
