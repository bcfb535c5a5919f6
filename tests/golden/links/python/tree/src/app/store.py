class Store:
    def put(self, n):
        self.check(n)

    def check(self, n):
        pass
