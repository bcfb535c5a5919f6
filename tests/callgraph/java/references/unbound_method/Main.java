import java.util.function.Function;

class Person {
    String name() {
        return "";
    }
}

public class Main {
    public static void main(String[] args) {
        Function<Person, String> name = Person::name;
        name.apply(new Person());
    }
}
