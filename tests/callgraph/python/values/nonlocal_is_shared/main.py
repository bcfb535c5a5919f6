def counter():
    step = first

    def change():
        nonlocal step
        step = second

    change()
    step()


def first():
    pass


def second():
    pass


counter()
