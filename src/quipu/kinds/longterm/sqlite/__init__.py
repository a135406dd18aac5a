"""Exchange with the files of the seed: ``santi-memory.db``, and ``sati-memory.db`` as it was called later."""
