"""Record of what was really said: sessions and messages, shared by all kinds of memory."""
