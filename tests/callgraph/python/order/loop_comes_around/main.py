def first():
    pass


def again():
    pass


def run(times):
    step = first
    for _ in times:
        step()
        step = again


run([1, 2])
