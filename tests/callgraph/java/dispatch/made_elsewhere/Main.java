interface Sender {
    void send();
}

class Mail implements Sender {
    public void send() {
    }
}

class Letter implements Sender {
    public void send() {
    }
}

class Registry {
    static Object choose() {
        return new Mail();
    }
}

public class Main {
    private Sender sender;

    void notifyAllOfThem() {
        sender.send();
    }
}
