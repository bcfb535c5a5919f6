class Root {
    void method() {
    }
}

class Middle extends Root {
}

class Leaf extends Middle {
    @Override
    void method() {
        super.method();
    }
}

public class Main {
    public static void main(String[] args) {
        new Leaf().method();
    }
}
