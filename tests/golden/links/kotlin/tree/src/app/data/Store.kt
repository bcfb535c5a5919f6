package app.data

class Store {
    fun put(n: Int) {}
}
