"""Content of an exchange: gists, facts, traits, style, scope and emotion."""
