"""Java as a small program: who holds which object, and which method that object answers with."""

from __future__ import annotations

from recollect.code.resolve.java.unit import unit

__all__ = ["unit"]
