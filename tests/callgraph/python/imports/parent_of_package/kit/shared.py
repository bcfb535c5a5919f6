def common():
    pass
