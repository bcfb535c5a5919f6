def found():
    pass
