class Base {
    func stop() {}
}

func helper() {}
