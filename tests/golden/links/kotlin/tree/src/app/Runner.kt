package app

import app.data.Store

class Runner(val store: Store) : Base() {
    fun run(other: Store) {
        store.put(1)
        other.put(2)
        stop()
        helper()
    }
}
