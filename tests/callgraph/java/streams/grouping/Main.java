import java.util.*;
import java.util.stream.Collectors;

class City {
    String country() {
        return "";
    }

    int size() {
        return 0;
    }
}

public class Main {
    static void group(List<City> cities) {
        cities.stream().collect(Collectors.groupingBy(city -> city.country()));
        cities.stream().sorted(Comparator.comparing(City::size)).findFirst();
    }
}
