def total(tills):
    for till in tills:
        till.ring(0)
