"""Trace: what certainly happens when small programs run, see `run.trace`."""
