def add():
    pass


def drop():
    pass


COMMANDS = {"add": add, "drop": drop}


def run(name):
    COMMANDS[name]()


def first():
    COMMANDS["add"]()


run("drop")
first()
