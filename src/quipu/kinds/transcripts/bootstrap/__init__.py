"""What an agent should know when a session begins, within a budget."""
