abstract class Report {
    final void write() {
        head();
        body();
    }

    void head() {
    }

    abstract void body();
}

class Sales extends Report {
    @Override
    void body() {
    }
}

public class Main {
    public static void main(String[] args) {
        new Sales().write();
    }
}
