class Item:
    def pack(self):
        pass


class Store:
    items: dict[str, Item] = {}

    def listed(self) -> list[Item]:
        return list(self.items.values())


def found() -> list[Item]:
    return []


def every(store: Store):
    for item in store.listed():
        item.pack()


def first():
    found()[0].pack()
