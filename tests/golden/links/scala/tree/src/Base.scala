package app

class Base {
  def stop(): Unit = {}
}
