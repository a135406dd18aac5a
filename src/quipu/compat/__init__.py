"""Quipu in the terms of what people use: a module for each, over the public API; each is an extra."""
