class Till:
    def ring(self, amount):
        self.log(amount)

    def log(self, amount):
        print(amount)
