package app.data;

public class Store {
    public void put(int n) {}
}
