"""Translates async classes into blocking ones."""
