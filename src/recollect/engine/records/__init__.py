"""Records: project, branch, id, valid input and redaction of what is stored."""
