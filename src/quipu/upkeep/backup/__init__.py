"""Copies of the whole embedded database, and bringing it back as it was at a moment."""
