import java.util.Optional;

class User {
    String mail() {
        return "";
    }
}

public class Main {
    static Optional<User> find(int id) {
        return Optional.of(new User());
    }

    static String fallback() {
        return "";
    }

    public static void main(String[] args) {
        find(1).map(User::mail).orElseGet(() -> fallback());
    }
}
