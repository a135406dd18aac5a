"""One module for each store. Each imports its store at the top, and is imported only in its own process."""
