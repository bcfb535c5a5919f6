"""Generated examples: the same ones on every run and machine, few enough that the folder takes seconds."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile(
    "recollect",
    max_examples=100,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("recollect")
