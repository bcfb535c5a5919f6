class Account {
    private final int balance;

    Account(int balance) {
        this.balance = check(balance);
    }

    private static int check(int balance) {
        return balance;
    }
}

public class Main {
    public static void main(String[] args) {
        Account account = new Account(3);
    }
}
