"""How text becomes something that can be counted and compared: search terms and token budgets."""
