package a;

public class Tool {
    public void use() {
    }
}
