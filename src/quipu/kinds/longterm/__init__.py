"""Long-term memory: what to know about a person before answering; read before the agent, written after it."""
