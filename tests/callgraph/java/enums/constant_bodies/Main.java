enum Operation {
    PLUS {
        int apply(int a, int b) {
            return a + b;
        }
    },
    TIMES {
        int apply(int a, int b) {
            return a * b;
        }
    };

    abstract int apply(int a, int b);
}

public class Main {
    static int plus() {
        return Operation.PLUS.apply(1, 2);
    }

    static int all() {
        int sum = 0;
        for (Operation operation : Operation.values()) {
            sum += operation.apply(1, 2);
        }
        return sum;
    }
}
