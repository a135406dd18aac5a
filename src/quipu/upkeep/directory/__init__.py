"""The directory of spaces that lie in many databases, and what carries a space from one to another."""
