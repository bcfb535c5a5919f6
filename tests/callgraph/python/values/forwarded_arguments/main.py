def target(first, *, last):
    first()
    last()


def forward(*args, **kwargs):
    target(*args, **kwargs)


def one():
    pass


def two():
    pass


forward(one, last=two)
