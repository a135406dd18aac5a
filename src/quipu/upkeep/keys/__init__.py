"""API keys: who may reach a memory through a server, and what for."""
