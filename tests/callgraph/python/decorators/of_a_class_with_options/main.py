from marks import sealed


@sealed
class Vault:
    def open(self):
        pass


@sealed(deep=True)
class Safe:
    def __init__(self):
        pass

    def open(self):
        pass


class Till(Safe):
    pass


def use():
    Vault().open()
    Safe().open()
    Till().open()


use()
