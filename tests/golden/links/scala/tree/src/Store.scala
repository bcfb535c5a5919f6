package app.data

class Store {
  def put(n: Int): Unit = {}
}
