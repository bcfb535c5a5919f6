from app import Store


def run():
    Store().put(1)
