"""One memory over many databases: each space lies in one of them, and a directory says in which."""
