import outside


@outside.cached
def slow():
    pass


slow()
