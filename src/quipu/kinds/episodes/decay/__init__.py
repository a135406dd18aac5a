"""Decay of episodes, and how they stay and come back: pure functions of their history and of now."""
