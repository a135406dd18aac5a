"""The kinds of memory, one room each, and the plug by which the house takes them in."""
