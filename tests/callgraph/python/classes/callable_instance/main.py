class Rule:
    def __init__(self, check):
        self.check = check

    def __call__(self, value):
        return self.check(value)


def positive(value):
    return value > 0


rule = Rule(positive)
rule(3)
