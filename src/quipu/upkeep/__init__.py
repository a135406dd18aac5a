"""Care for what is kept: erasure, re-embedding, retention."""
