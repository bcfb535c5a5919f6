package app;

import shop.Cart;
import static shop.Prices.sum;
import static shop.tools.Log.*;

public class Main {
    public static void main(String[] args) {
        Cart cart = new Cart();
        cart.add();
        sum(1);
        write("a");
        shop.tools.Clock.tick();
    }
}
