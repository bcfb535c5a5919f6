"""Storage of all data: one protocol, one SQL implementation over a dialect, derived state that can be rebuilt."""
