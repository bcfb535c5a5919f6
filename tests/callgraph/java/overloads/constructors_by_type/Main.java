class Text {
    Text(String value) {
    }

    Text(char[] value) {
    }

    Text(int size) {
    }
}

public class Main {
    void strings(String value) {
        new Text(value);
    }

    void sizes() {
        int size = 3;
        new Text(size);
    }

    void characters() {
        new Text(new char[3]);
    }
}
