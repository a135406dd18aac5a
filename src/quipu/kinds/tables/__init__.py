"""Tables that an agent designs itself, in SQL."""
