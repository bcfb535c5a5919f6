package b;

public class Main {
    void own(Tool tool) {
        tool.use();
    }

    void other(a.Tool tool) {
        tool.use();
    }
}
