"""Configuration of each client."""
