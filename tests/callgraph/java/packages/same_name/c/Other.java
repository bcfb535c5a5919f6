package c;

import a.*;

public class Other {
    void run() {
        new Tool().use();
    }
}
