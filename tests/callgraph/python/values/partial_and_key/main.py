from functools import partial


def weigh(unit, thing):
    return thing


def order(things):
    return sorted(things, key=partial(weigh, "kg"))


def by_length(word):
    return len(word)


order([1])
sorted(["a"], key=by_length)
