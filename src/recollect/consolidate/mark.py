"""Mark: a name for a plan, by which a preview and a run are known to be the same."""

from __future__ import annotations

import hashlib

import msgspec

from recollect.model import Plan

# Enough that two plans of one store never share it, and short enough to be typed.
DIGITS = 12


def mark(plan: Plan) -> str:
    """Return the mark of a plan: the same for the same steps in the same order, and for nothing else."""
    return hashlib.sha256(msgspec.json.encode((plan.cycle, plan.steps))).hexdigest()[:DIGITS]
