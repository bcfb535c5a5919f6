def safe():
    pass


def risky():
    pass


def run():
    todo = safe
    try:
        todo = risky
        open("x")
    except OSError:
        pass
    todo()


run()
