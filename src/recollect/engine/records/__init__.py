"""What every noun needs to know of a record: its project, branch, id, valid input and redaction."""
