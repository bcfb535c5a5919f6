class Engine:
    def start(self):
        pass


class Car:
    def __init__(self):
        self.engine = Engine()


class Owner:
    def __init__(self, car):
        self.car = car

    def drive(self):
        self.car.engine.start()


Owner(Car()).drive()
