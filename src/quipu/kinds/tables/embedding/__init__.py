"""Vectors of rows of agents' tables, which cannot go stale."""
