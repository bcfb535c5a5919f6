def sealed(cls):
    return cls


@sealed
class Vault:
    def open(self):
        pass


@sealed
class Safe:
    def open(self):
        pass


Vault().open()
