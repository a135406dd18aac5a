"""Archives of a space: everything in it as open files, written and taken in."""
