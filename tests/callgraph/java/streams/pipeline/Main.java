import java.util.List;
import java.util.stream.Collectors;

class Item {
    boolean cheap() {
        return true;
    }

    String label() {
        return "";
    }
}

public class Main {
    static void print(String label) {
    }

    static void all(List<Item> items) {
        List<String> labels = items.stream()
            .filter(item -> item.cheap())
            .map(Item::label)
            .sorted()
            .collect(Collectors.toList());
        labels.forEach(Main::print);
    }
}
