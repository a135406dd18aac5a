-- name: cited: memories that were found, by the id of their entry
select entry_id as id, summary, details, happened_at, created_at as recorded_at, id::text as said, session, category,
    user_name as "user", metadata
from longterm.long_term_memory
where space_id = %(space)s and entry_id = any(%(ids)s::int8[]) and not archived

-- name: lately: entries of the memories that were used last, the latest first
select entry_id, last_accessed_at from longterm.long_term_memory
where space_id = %(space)s and last_accessed_at is not null and entry_id is not null
order by last_accessed_at desc limit %(limit)s

-- name: sources_of_entries: the messages that memories rest on as they read now, by the id of their entry
select m.entry_id, array_agg(o.message_id order by o.message_id)
from longterm.long_term_memory m
join longterm.sources o on o.space_id = m.space_id and o.memory_id = m.id and o.version = m.version
    and o.message_id is not null
where m.space_id = %(space)s and m.entry_id = any(%(ids)s::int8[])
group by m.entry_id

-- name: ended: which entries tell of what held once, and from when to when
select entry_id, coalesce(valid_from, happened_at), valid_until from longterm.long_term_memory
where space_id = %(space)s and entry_id = any(%(ids)s::int8[]) and valid_until <= %(now)s

-- name: matching_all: entries of memories whose metadata a filter lets through
select entry_id from longterm.long_term_memory
where space_id = %(space)s and entry_id is not null and metadata @@ %(metadata)s::jsonpath

-- name: matching_agent: those of one agent
select entry_id from longterm.long_term_memory
where space_id = %(space)s and agent_id = left(%(equal)s, 512) and entry_id is not null
    and metadata @@ %(metadata)s::jsonpath

-- name: matching_app: those of one application
select entry_id from longterm.long_term_memory
where space_id = %(space)s and app_id = left(%(equal)s, 512) and entry_id is not null
    and metadata @@ %(metadata)s::jsonpath

-- name: matching_run: those of one run
select entry_id from longterm.long_term_memory
where space_id = %(space)s and run_id = left(%(equal)s, 512) and entry_id is not null
    and metadata @@ %(metadata)s::jsonpath
