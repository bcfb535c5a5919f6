class Store:
    def open(self) -> "Handle":
        return self.backend.open()


class Handle:
    def close(self):
        pass


def use(store: Store | None):
    store.open().close()
