"""Memory for software agents."""
