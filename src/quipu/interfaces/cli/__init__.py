"""The command ``quipu``."""
