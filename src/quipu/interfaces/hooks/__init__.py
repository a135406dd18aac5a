"""What coding agents call by themselves: at the beginning of a session, at each prompt, at the end."""
