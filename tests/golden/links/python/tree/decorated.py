import functools
from functools import update_wrapper


def timed(function):
    @functools.wraps(function)
    def inner(*given):
        return function(*given)

    return inner


def logged(function):
    def inner(*given):
        return function(*given)

    return update_wrapper(inner, function)


@timed
def first(): ...


@logged
def second(): ...


@timed
def third(): ...


@timed
def fourth(): ...


def calls_first():
    first()


def calls_second():
    second()


def calls_third():
    third()
