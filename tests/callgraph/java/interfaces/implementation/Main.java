interface Speaker {
    void speak();
}

class Dog implements Speaker {
    public void speak() {
    }
}

class Cat implements Speaker {
    public void speak() {
    }
}

public class Main {
    static void talk(Speaker speaker) {
        speaker.speak();
    }

    public static void main(String[] args) {
        talk(new Dog());
        talk(new Cat());
    }
}
