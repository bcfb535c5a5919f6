"""The benchmarks are scripts, not a package: their folder is put on the path while their tests are read."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[3] / "bench"))
