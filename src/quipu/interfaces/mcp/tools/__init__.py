"""The tools, one noun a file."""
