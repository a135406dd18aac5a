"""What to know about a person before answering: retrieved before the agent, evaluated after it."""
