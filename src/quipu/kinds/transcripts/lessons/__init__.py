"""The lessons that were kept: extracted, written by hand, edited, confirmed, ageing."""
