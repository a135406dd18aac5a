"""Documents: what has a path and a key and is updated in place, with versions, expiry and passages."""
