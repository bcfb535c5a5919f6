from typing import Protocol


class Listener(Protocol):
    def quoted(self, price: int) -> None: ...


class Log:
    def quoted(self, price: int) -> None:
        print(price)


class Desk:
    def __init__(self, listener: Listener) -> None:
        self.listener = listener

    def tell(self):
        self.listener.quoted(3)


def main():
    Desk(Log()).tell()
