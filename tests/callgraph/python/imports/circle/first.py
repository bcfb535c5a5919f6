import second


def start():
    second.go_on()


def finish():
    pass
