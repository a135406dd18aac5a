"""Settings in the database: listed, set, and taken back."""
