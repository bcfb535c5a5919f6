import java.util.function.Consumer;

class Order {
    void ship() {
    }
}

public class Main {
    public static void main(String[] args) {
        Consumer<Order> shipping = order -> order.ship();
        shipping.accept(new Order());
    }
}
