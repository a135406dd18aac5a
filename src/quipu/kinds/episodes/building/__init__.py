"""Exchanges become episodes: where one ends, what it was about, how much it matters."""
