"""Hooks that coding agents call: at the beginning of a session, at each prompt, at the end."""
