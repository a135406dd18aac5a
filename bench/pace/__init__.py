"""How fast memories are: the same facts, vectors and questions for every store, in one run."""
