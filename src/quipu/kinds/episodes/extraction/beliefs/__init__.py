"""Beliefs: what stands about a person, settled when it is written."""
