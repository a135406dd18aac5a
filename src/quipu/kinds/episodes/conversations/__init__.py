"""Conversations: exchanges, threads, topics, modes, and prompts that wait for an answer."""
