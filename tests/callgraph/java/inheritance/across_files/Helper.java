public class Helper {
    protected Limit limit;

    protected void help() {
    }

    protected Limit makeLimit() {
        return new Limit();
    }
}
