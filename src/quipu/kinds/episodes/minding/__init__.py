"""What an agent should bear in mind: loops that are open, and what stands about a person."""
