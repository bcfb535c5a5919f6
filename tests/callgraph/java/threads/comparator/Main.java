import java.util.*;

class ByAge implements Comparator<Person> {
    public int compare(Person a, Person b) {
        return a.age() - b.age();
    }
}

class Person implements Comparable<Person> {
    int age() {
        return 0;
    }

    public int compareTo(Person other) {
        return 0;
    }
}

public class Main {
    static void order(List<Person> people) {
        people.sort(new ByAge());
        Collections.sort(people);
    }
}
