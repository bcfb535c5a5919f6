package app

import app.data.Store

class Other {
    fun put(n: Int) {}
}

fun declared(found: Any) {
    val store: Store = convert(found)
    store.put(1)
}
