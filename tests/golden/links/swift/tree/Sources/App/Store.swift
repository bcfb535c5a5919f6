class Store {
    func put(_ n: Int) {}
}
