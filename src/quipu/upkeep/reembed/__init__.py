"""Changing the embedding model while the memory goes on working."""
