class Query:
    def where(self, test):
        return self

    def all(self):
        pass


class Special(Query):
    def only(self):
        pass


Special().where(1).where(2).only()
Query().where(3).all()
