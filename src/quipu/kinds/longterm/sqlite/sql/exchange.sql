-- name: known: whose those of these memories are that the space has
select id, user_name from longterm.long_term_memory where space_id = %(space)s and id = any(%(ids)s::uuid[])

-- name: said_already: those of these hashes that a live memory of the user has
select hash from longterm.long_term_memory
where space_id = %(space)s and user_name is not distinct from %(user)s and not archived
    and hash = any(%(hashes)s::text[])

-- name: import_memory: a memory that came with a file
insert into longterm.long_term_memory (space_id, id, category, importance, summary, details, hash, source, created_at,
    updated_at, last_accessed_at, access_count, version, archived, user_name, happened_at, entry_id)
values (%(space)s, %(id)s, %(category)s, %(importance)s::text::longterm.importance, %(summary)s, %(details)s, %(hash)s,
    %(source)s, %(created_at)s, %(updated_at)s, %(last_accessed_at)s, %(access_count)s, %(version)s, %(archived)s,
    %(user)s, %(created_at)s, %(entry)s)

-- name: export: the memories of a space, or of a user there, as a file has them; live ones first
select id::text as id, category, importance::text as importance, summary, details, hash, source, created_at, updated_at,
    last_accessed_at, access_count, version, archived
from longterm.long_term_memory
where space_id = %(space)s and (%(user)s::text is null or user_name = %(user)s)
order by archived, created_at, id
