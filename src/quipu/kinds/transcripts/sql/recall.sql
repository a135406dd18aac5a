-- name: cited: memories that were found, by the id of their entry; archived ones are left out
select entry_id as id, fact as text, happened_at, created_at as recorded_at, id::text as said, session_id as session,
    category
from transcripts.memories
where space_id = %(space)s and entry_id = any(%(ids)s::int8[]) and status = 'active'
