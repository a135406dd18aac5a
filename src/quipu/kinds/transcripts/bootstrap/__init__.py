"""Briefing of an agent when a session begins, within a budget."""
