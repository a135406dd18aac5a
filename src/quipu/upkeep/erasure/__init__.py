"""Forgetting: preview, erase, prove."""
