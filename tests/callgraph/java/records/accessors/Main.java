record Name(String text) {
    String upper() {
        return text.toUpperCase();
    }
}

record Person(Name name, int age) {
    Person {
        check(age);
    }

    static void check(int age) {
    }
}

public class Main {
    public static void main(String[] args) {
        Person person = new Person(new Name("a"), 3);
        person.name().upper();
    }
}
