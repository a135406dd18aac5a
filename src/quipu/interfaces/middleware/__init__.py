"""Memory around an agent: recovered before it answers, taken in after it, never in its way."""
