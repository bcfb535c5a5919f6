package app

import app.data.Store

class Runner(store: Store) extends Base {
  def run(other: Store): Unit = {
    store.put(1)
    other.put(2)
    stop()
    val count = other.size
  }
}
