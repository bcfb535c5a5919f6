from functools import wraps


def repeat(times):
    def decorate(function):
        @wraps(function)
        def wrapper(*args):
            return function(*args)

        return wrapper

    return decorate


@repeat(3)
def greet():
    pass


greet()
