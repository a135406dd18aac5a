-- name: doomed_sources: words that an erasure takes
select o.id from longterm.sources o
join longterm.long_term_memory m on m.space_id = o.space_id and m.id = o.memory_id
where o.space_id = %(space)s
    and (o.message_id = any(%(messages)s::int8[])
        or (%(user)s::text is null or m.user_name = %(user)s)
            and (%(session)s::text is null or o.session = %(session)s)
            and (%(message)s::text is null or o.message = %(message)s))

-- name: doomed_memories: memories that an erasure takes, with their entries
--
-- Those of the person; those written by hand in the session; those that rest, as they read now, on nothing but
-- words that are erased. What other words tell too stays, without the words that go, and so does what a person
-- wrote over such words.
select m.id::text as id, m.entry_id from longterm.long_term_memory m
where m.space_id = %(space)s
    and (%(everything)s
        or %(user)s::text is not null and %(session)s::text is null and %(message)s::text is null
            and m.user_name = %(user)s
        or not exists (
                select from longterm.sources o
                where o.space_id = m.space_id and o.memory_id = m.id and o.version = m.version
                    and o.id <> all(%(sources)s::int8[]))
            and case when exists (
                    select from longterm.sources o
                    where o.space_id = m.space_id and o.memory_id = m.id and o.version = m.version)
                then true
                else not exists (
                        select from longterm.sources o where o.space_id = m.space_id and o.memory_id = m.id)
                    and %(session)s::text is not null and %(message)s::text is null and m.session = %(session)s
                    and (%(user)s::text is null or m.user_name = %(user)s) end)

-- name: doomed_wordings: earlier wordings of memories that stay, which rest on nothing but words that are erased
select h.id from longterm.history h
where h.space_id = %(space)s and h.memory_id <> all(%(memories)s::uuid[])
    and exists (
        select from longterm.sources o
        where o.space_id = h.space_id and o.memory_id = h.memory_id and o.version = h.version
            and o.id = any(%(sources)s::int8[]))
    and not exists (
        select from longterm.sources o
        where o.space_id = h.space_id and o.memory_id = h.memory_id and o.version = h.version
            and o.id <> all(%(sources)s::int8[]))

-- name: doomed_audit: lines of the audit about the person, the session or the message
select a.id from longterm.audit a
where a.space_id = %(space)s
    and (%(user)s::text is null or a.user_name = %(user)s)
    and (%(session)s::text is null or a.session = %(session)s)
    and (%(message)s::text is null or a.message = %(message)s)

-- name: erase_memories: memories with their sources, history and places in the audit
delete from longterm.long_term_memory where space_id = %(space)s and id = any(%(memories)s::uuid[])

-- name: count_one: a memory and its earlier wordings
select (select count(*) from longterm.long_term_memory where space_id = %(space)s and id = %(id)s::uuid),
    (select count(*) from longterm.history where space_id = %(space)s and memory_id = %(id)s::uuid)

-- name: erase_one: a memory with its sources, history and places in the audit
delete from longterm.long_term_memory where space_id = %(space)s and id = %(id)s::uuid returning entry_id

-- name: erase_sources: words that memories rested on
delete from longterm.sources where space_id = %(space)s and id = any(%(sources)s::int8[])

-- name: erase_wordings: earlier wordings
delete from longterm.history where space_id = %(space)s and id = any(%(wordings)s::int8[])

-- name: erase_audit: lines of the audit
delete from longterm.audit where space_id = %(space)s and id = any(%(audit)s::int8[])

-- name: erase_reasons: what was given as a reason where words of a memory go: it may repeat them
with touched as (
    select distinct memory_id from longterm.sources where space_id = %(space)s and id = any(%(sources)s::int8[])
), changes as (
    update longterm.history set reason = null
    where space_id = %(space)s and memory_id in (select memory_id from touched) and reason is not null
)
update longterm.audit_memories set reason = null
where space_id = %(space)s and memory_id in (select memory_id from touched) and reason is not null

-- name: erase_names: the name of a session that goes, in memories that stay
update longterm.long_term_memory set
    session = nullif(session, %(session)s), source = nullif(source, %(session)s)
where space_id = %(space)s and (session = %(session)s or source = %(session)s)

-- name: wordings: wordings of memories that have a source in what loses messages, one row a wording and source
--
-- history is the id of an earlier wording, null of the present one.
with concerned as materialized (
    select distinct o.memory_id as id from longterm.sources o
    left join core.sessions s on s.space_id = o.space_id and s.name = o.session
    where o.space_id = %(space)s and o.memory_id <> all(%(doomed)s::uuid[])
        and (o.id = any(%(sources)s::int8[])
            or s.id in (select g.gone >> 24 from unnest(%(messages)s::int8[]) as g (gone)))
)
select m.id::text as memory, m.entry_id as entry, w.history, w.text, o.excerpt, coalesce(x.content, '') as content,
    o.id = any(%(sources)s::int8[]) as goes
from concerned c
join longterm.long_term_memory m on m.space_id = %(space)s and m.id = c.id
cross join lateral (
    select null::bigint as history, concat_ws(' ', m.summary, m.details) as text
    union all
    select h.id, concat_ws(' ', h.summary, h.details) from longterm.history h
    where h.space_id = %(space)s and h.memory_id = m.id
) w
join longterm.sources o on o.space_id = %(space)s and o.memory_id = m.id
left join core.messages x on x.space_id = o.space_id and x.id = o.message_id
order by m.id, w.history nulls first

-- name: said: what messages say
select content from core.messages where space_id = %(space)s and id = any(%(messages)s::int8[])
