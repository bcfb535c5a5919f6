def one():
    pass


def two():
    pass


act = one
results = [act() for act in [two]]
act()
