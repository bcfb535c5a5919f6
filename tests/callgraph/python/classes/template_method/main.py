class Report:
    def make(self):
        self.body()


class Short(Report):
    def body(self):
        pass


class Long(Report):
    def body(self):
        pass


Short().make()
Long().make()
