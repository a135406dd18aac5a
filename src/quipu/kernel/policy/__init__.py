"""Limits of what may be kept of people, whatever kind of memory keeps it."""
