class Refused(Exception):
    def __init__(self):
        self.tell()

    def tell(self):
        pass


def check():
    raise Refused


check()
