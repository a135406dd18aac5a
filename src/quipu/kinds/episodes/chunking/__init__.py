"""What an exchange yields: gists, facts, traits, style, scope and emotion."""
