from .counter import Till
from .sums import total
