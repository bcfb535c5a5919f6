from tools import *


def saw():
    pass


saw()
hammer()
