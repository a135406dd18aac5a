"""Files that were handed out: an id and a digest of each."""
