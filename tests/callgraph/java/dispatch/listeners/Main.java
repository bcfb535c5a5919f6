import java.util.*;

interface Listener {
    void changed(String what);
}

class Subject {
    private final List<Listener> listeners = new ArrayList<>();

    void add(Listener listener) {
        listeners.add(listener);
    }

    void fire() {
        for (Listener listener : listeners) {
            listener.changed("x");
        }
        listeners.forEach(each -> each.changed("y"));
    }
}

class Screen implements Listener {
    public void changed(String what) {
        draw();
    }

    private void draw() {
    }
}

public class Main {
    static void log(String what) {
    }

    public static void main(String[] args) {
        Subject subject = new Subject();
        subject.add(new Screen());
        subject.add(what -> log(what));
        subject.fire();
    }
}
