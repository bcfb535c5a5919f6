interface Task {
    void execute();
}

class Print implements Task {
    public void execute() {
    }
}

public class Main {
    static <T extends Task> void all(T task) {
        task.execute();
    }

    public static void main(String[] args) {
        all(new Print());
    }
}
