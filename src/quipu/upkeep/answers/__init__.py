"""Answers that a server gave to writes, kept for a day, so that a repeated request is not done twice."""
