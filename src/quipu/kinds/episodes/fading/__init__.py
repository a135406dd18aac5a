"""How episodes fade, stay and come back: pure functions of what happened to them and of now."""
