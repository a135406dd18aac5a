"""Labelled turns of coding sessions, and how well a system finds what is to be kept of them."""
