class Account:
    @property
    def owner(self):
        return Person()


class Person:
    def greet(self):
        pass


Account().owner.greet()
