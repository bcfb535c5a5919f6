class Leaf:
    def show(self):
        pass


class Branch:
    def __init__(self, leaf):
        self.leaf = leaf


def visit(node):
    match node:
        case Branch(leaf=inner):
            inner.show()


visit(Branch(Leaf()))
