def inner():
    yield act


def outer():
    yield from inner()


def act():
    pass


for each in outer():
    each()
