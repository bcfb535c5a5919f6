"""Storage of all data: one SQL store over a dialect, derived state that can be rebuilt."""
