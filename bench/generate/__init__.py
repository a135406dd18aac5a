"""Makes our own kinds of conversation from hand-written scenes, the same on every run."""
