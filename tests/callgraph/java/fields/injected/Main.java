interface Store {
    void save();
}

class Disk implements Store {
    public void save() {
    }
}

class Memory implements Store {
    public void save() {
    }
}

class Service {
    private final Store store;

    Service(Store store) {
        this.store = store;
    }

    void run() {
        store.save();
    }
}

public class Main {
    static Store other = new Memory();

    public static void main(String[] args) {
        new Service(new Disk()).run();
    }
}
