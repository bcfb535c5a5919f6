package app;

import lib.Outer.Inner;

public class Main {
    void run() {
        new Inner().go();
        Inner.fixed();
    }
}
