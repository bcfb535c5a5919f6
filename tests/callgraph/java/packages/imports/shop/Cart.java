package shop;

public class Cart {
    public void add() {
        Prices.sum(2);
    }
}
