"""Review signals: which of seven themes reviews complain about, and the sentences that show it."""
