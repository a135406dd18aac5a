"""Answers: what each kind tells, as values that JSON knows."""
