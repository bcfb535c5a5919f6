def leaf():
    pass


loop = [leaf]
loop.append(loop)
loop[0]()
