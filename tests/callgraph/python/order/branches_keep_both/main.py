def yes():
    pass


def no():
    pass


def pick(flag):
    if flag:
        chosen = yes
    else:
        chosen = no
    chosen()


pick(True)
