class Download implements Runnable {
    public void run() {
        fetch();
    }

    void fetch() {
    }
}

class Watch extends Thread {
    @Override
    public void run() {
    }
}

public class Main {
    static void work() {
    }

    public static void main(String[] args) {
        Thread thread = new Thread(new Download());
        thread.start();
        new Watch().start();
        new Thread(() -> work()).start();
    }
}
