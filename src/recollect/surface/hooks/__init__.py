"""Hooks of assistants: the socket that a server answers them on, and the format of each answer."""
