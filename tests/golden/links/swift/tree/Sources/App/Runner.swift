class Runner: Base {
    let store: Store

    func run(_ other: Store) {
        store.put(1)
        other.put(2)
        stop()
        helper()
    }
}
