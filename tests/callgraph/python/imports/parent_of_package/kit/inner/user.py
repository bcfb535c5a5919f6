from .. import base
from ..shared import common


def use():
    base()
    common()
