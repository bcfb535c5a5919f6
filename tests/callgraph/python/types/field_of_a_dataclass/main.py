from dataclasses import dataclass


class Pump:
    def run(self):
        pass


@dataclass
class Pool:
    pump: Pump

    def fill(self):
        self.pump.run()
