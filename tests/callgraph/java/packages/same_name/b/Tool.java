package b;

public class Tool {
    public void use() {
    }
}
