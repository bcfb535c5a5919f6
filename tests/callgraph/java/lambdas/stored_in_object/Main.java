class Button {
    private Runnable action;

    void onClick(Runnable action) {
        this.action = action;
    }

    void click() {
        action.run();
    }
}

public class Main {
    void save() {
    }

    void setUp() {
        Button button = new Button();
        button.onClick(this::save);
        button.click();
    }
}
