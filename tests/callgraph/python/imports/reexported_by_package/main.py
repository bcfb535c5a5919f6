from shop import Till, total

till = Till()
till.ring(3)
total([till])
