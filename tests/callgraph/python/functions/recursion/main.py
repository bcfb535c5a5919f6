def even(n):
    return n == 0 or odd(n - 1)


def odd(n):
    return n != 0 and even(n - 1)


def deep(n):
    return deep(n)


even(4)
deep(1)
