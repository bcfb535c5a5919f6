class Item:
    def pack(self):
        pass


def pack(items: list[Item], named: dict[str, "Item"]):
    for item in items:
        item.pack()
    named["a"].pack()
