"""The one index over all memory and the search in it."""
