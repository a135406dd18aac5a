"""Looking at agents' tables row by row: pages of rows, references, vectors. On the reader's login."""
