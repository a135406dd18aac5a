"""Matters for an agent to bear in mind: open loops, and beliefs about a person."""
