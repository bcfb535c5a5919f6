enum Level {
    LOW(1), HIGH(2);

    private final int weight;

    Level(int weight) {
        this.weight = weight;
    }

    int weight() {
        return weight;
    }
}

public class Main {
    public static void main(String[] args) {
        Level.HIGH.weight();
    }
}
