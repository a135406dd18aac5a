-- name: columns: the columns of the table; none where there is no such table
select name from pragma_table_info('long_term_memory')

-- name: memories: every row, with the columns that the file has
select * from long_term_memory order by rowid

-- name: put: a memory; one that the file says already is left out
insert into long_term_memory (id, category, importance, summary, details, hash, source, created_at, updated_at,
    last_accessed_at, access_count, version, archived)
values (:id, :category, :importance, :summary, :details, :hash, :source, :created_at, :updated_at,
    :last_accessed_at, :access_count, :version, :archived)
on conflict do nothing
