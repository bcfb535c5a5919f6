known = {}


def register(function):
    known[function.__name__] = function
    return function


@register
def one():
    pass


@register
def two():
    pass


one()
