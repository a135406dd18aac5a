"""Filing in the index what was written without being embedded."""
