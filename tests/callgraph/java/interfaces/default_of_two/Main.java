interface Left {
    default void go() {
    }
}

interface Right {
    default void go() {
    }
}

class Both implements Left, Right {
    public void go() {
        Left.super.go();
        Right.super.go();
    }
}

public class Main {
    public static void main(String[] args) {
        new Both().go();
    }
}
