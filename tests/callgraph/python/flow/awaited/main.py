class Client:
    async def fetch(self):
        return Answer()


class Answer:
    def read(self):
        pass


async def main():
    answer = await Client().fetch()
    answer.read()
