def old():
    pass


def new():
    pass


step = old
step()
step = new


def after():
    step()


handlers = {"go": old}
handlers["go"] = new
handlers["go"]()
after()
