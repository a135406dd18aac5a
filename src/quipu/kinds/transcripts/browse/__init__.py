"""Looking into recorded sessions: list, show, search, count, ask in SQL."""
