public class Limit {
    void check() {
    }
}
