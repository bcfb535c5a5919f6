"""Links between symbols: calls, base classes, imports and uses, followed across files."""
