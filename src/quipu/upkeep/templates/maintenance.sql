-- name: vacuum: free what was taken from a table, have its pages vouched for, and make statistics of what is left
vacuum (analyze) {table}

-- name: vacuum_unlocked: the same, unless somebody else locks the table
vacuum (analyze, skip_locked) {table}

-- name: vacuum_full: write a table and its indices again
vacuum (full, analyze) {table}
