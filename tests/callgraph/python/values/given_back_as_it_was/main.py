def same(thing):
    return thing


def one():
    pass


def two():
    pass


same(one)()


def other():
    same(two)()


other()
