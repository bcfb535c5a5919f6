interface Route {
    void follow();
}

class Short implements Route {
    public void follow() {
    }
}

class Long implements Route {
    public void follow() {
    }
}

public class Main {
    static void go(int n) {
        Route route = switch (n) {
            case 1 -> new Short();
            default -> new Long();
        };
        route.follow();
        var other = n > 0 ? new Short() : new Short();
        other.follow();
    }
}
