"""Files as documents: the texts of a directory, kept as they are there."""
