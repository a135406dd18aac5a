"""Recorded agent sessions, and the lessons that were taken from them."""
