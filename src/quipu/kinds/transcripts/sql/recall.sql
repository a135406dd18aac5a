-- name: cited: memories that were found, by the id of their entry; archived ones are left out
select entry_id as id, fact as text, happened_at, created_at as recorded_at, id::text as said, session_id as session,
    category, metadata
from transcripts.memories
where space_id = %(space)s and entry_id = any(%(ids)s::int8[]) and status = 'active'

-- name: lives: what happened to the memories of entries; a contradiction counts while the later memory is active
select m.entry_id, coalesce(m.confidence, 0.5) as judged, m.happened_at as said_at,
    (select count(distinct o.session_id) from transcripts.memory_sources o
        where o.space_id = m.space_id and o.memory_id = m.id)::integer as sessions,
    m.used_at, m.confirmed_at, m.edited_at, m.uses,
    coalesce(m.category = any(%(lasting)s::text[])
        or (m.category = any(%(in_projects)s::text[]) and m.project_path <> ''), false) as lasts,
    (select count(*) from transcripts.memory_contradictions c
        join transcripts.memories by on by.space_id = c.space_id and by.id = c.contradicted_by and by.status = 'active'
        where c.space_id = m.space_id and c.memory_id = m.id)::integer as contradictions
from transcripts.memories m
where m.space_id = %(space)s and m.entry_id = any(%(ids)s::int8[])

-- name: used: memories were put before an agent, now; who is being changed is left to that change
update transcripts.memories m set used_at = %(now)s, uses = m.uses + 1
from (
    select id from transcripts.memories
    where space_id = %(space)s and entry_id = any(%(ids)s::int8[])
        and (used_at is null or used_at <= %(now)s::timestamptz - %(apart)s::interval)
    order by id
    for update skip locked
) u
where m.space_id = %(space)s and m.id = u.id
returning m.id

-- name: lately: entries of the memories that were used last, the latest first
select entry_id, used_at from transcripts.memories
where space_id = %(space)s and used_at is not null and entry_id is not null
order by used_at desc limit %(limit)s

-- name: sources: the messages that memories rest on, by the id of their entry
select m.entry_id, array_agg(o.message_id order by o.message_id)
from transcripts.memories m
join transcripts.memory_sources o on o.space_id = m.space_id and o.memory_id = m.id and o.message_id is not null
where m.space_id = %(space)s and m.entry_id = any(%(ids)s::int8[])
group by m.entry_id

-- name: ended: which entries tell of what held once, and from when to when
select entry_id, coalesce(valid_from, happened_at), valid_until from transcripts.memories
where space_id = %(space)s and entry_id = any(%(ids)s::int8[]) and valid_until <= %(now)s
