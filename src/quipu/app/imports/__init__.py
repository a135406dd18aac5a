"""Imports: what other systems remember, recognised, previewed, taken in, shown, and taken out again."""
