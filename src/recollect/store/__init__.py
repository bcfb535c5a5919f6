"""Where everything is kept: one protocol, one SQL implementation over a dialect, derived state that can be rebuilt."""
