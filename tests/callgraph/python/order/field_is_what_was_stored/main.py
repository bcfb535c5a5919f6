class Box:
    pass


def one():
    pass


def two():
    pass


box = Box()
box.action = one
box.action = two
box.action()
