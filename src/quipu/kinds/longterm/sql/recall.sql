-- name: cited: memories that were found, by the id of their entry
select entry_id as id, summary, details, happened_at, created_at as recorded_at, id::text as said, session, category,
    user_name as "user"
from longterm.long_term_memory
where space_id = %(space)s and entry_id = any(%(ids)s::int8[]) and not archived

-- name: lately: entries of the memories that were used last, the latest first
select entry_id, last_accessed_at from longterm.long_term_memory
where space_id = %(space)s and last_accessed_at is not null and entry_id is not null
order by last_accessed_at desc limit %(limit)s
