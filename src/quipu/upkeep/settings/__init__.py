"""What is set in the database: listed, set, and taken back."""
