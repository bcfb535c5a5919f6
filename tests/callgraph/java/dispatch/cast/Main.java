interface Animal {
}

class Dog implements Animal {
    void bark() {
    }

    void sit() {
    }
}

class Cat implements Animal {
    void sit() {
    }
}

public class Main {
    static void train(Animal animal) {
        ((Dog) animal).bark();
        Dog dog = (Dog) animal;
        dog.sit();
    }

    public static void main(String[] args) {
        train(new Dog());
        train(new Cat());
    }
}
