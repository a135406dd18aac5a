"""The kinds of memory, one room each, and the plug by which the system takes them in."""
