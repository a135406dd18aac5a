"""Readers of recordings: they turn files into the messages that the record takes in."""
