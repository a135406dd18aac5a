"""Corrections: derived statements that a person said are wrong, and what they win over."""
