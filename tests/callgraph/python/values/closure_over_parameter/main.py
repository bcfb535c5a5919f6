def make(action):
    def run():
        action()

    return run


def hello():
    pass


make(hello)()
