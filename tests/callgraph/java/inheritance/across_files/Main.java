public class Main extends Helper {
    void run() {
        help();
        limit = makeLimit();
        limit.check();
    }
}
