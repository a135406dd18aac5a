-- name: tidy: write the visibility map and fresh statistics for what a search reads
vacuum (analyze) core.recall_postings, core.recall_entries, core.recall_vectors, core.recall_threads, core.messages,
    core.sessions
