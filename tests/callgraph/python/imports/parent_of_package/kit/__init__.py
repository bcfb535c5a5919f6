def base():
    pass
