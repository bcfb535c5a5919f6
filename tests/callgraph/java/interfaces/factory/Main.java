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

public class Main {
    static Store open(boolean fast) {
        if (fast) {
            return new Memory();
        }
        return new Disk();
    }

    static Store disk() {
        return new Disk();
    }

    void any() {
        open(true).save();
    }

    void one() {
        Store store = disk();
        store.save();
    }
}
