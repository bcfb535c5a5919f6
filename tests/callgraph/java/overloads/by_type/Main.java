class Animal {
}

class Dog extends Animal {
}

public class Main {
    void take(String text) {
    }

    void take(int number) {
    }

    void take(Animal animal) {
    }

    void take(Object other) {
    }

    void strings() {
        take("a" + 1);
    }

    void numbers() {
        take(3);
    }

    void animals() {
        take(new Dog());
    }

    void declared() {
        Object hidden = new Dog();
        take(hidden);
    }
}
