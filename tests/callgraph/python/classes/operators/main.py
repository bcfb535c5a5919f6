class Money:
    def __add__(self, other):
        return Money()

    def show(self):
        pass


(Money() + Money()).show()
