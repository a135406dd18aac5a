"""Load on a server that runs as a process of its own."""
