class Other {
    func put(_ n: Int) {}
}

func declared(_ found: Any) {
    let store: Store = convert(found)
    store.put(1)
}
