"""Taking recorded sessions in: what was read is stored, once, however often it is read."""
