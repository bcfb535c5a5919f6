class Base:
    def __init__(self):
        self.helper = Helper()


class Heir(Base):
    def work(self):
        self.helper.help()


class Helper:
    def help(self):
        pass


Heir().work()
