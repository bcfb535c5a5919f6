abstract class Source {
    abstract Reader open();
}

abstract class Reader {
    abstract String next();
}

public class Main {
    static String read(Source source) {
        return source.open().next();
    }
}
