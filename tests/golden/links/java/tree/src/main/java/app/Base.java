package app;

class Base {
    void stop() {}
}
