def helper():
    pass


def outer():
    def helper():
        pass

    helper()


class Outer:
    def helper(self):
        pass

    def run(self):
        helper()
        self.helper()


outer()
Outer().run()
