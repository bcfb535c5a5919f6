abstract class Codec {
    abstract void decode();
}

class Json extends Codec {
    void decode() {
    }
}

class Xml extends Codec {
    void decode() {
    }
}

public class Main {
    void read(Codec codec) {
        codec.decode();
    }
}
