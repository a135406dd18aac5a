"""What the configuration of each client looks like."""
