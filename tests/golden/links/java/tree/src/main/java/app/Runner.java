package app;

import app.data.Store;

class Runner extends Base {
    void run(Store store) {
        store.put(1);
        stop();
    }
}
