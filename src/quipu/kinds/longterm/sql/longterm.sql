-- name: hold: one at a time changes the memories of a space
select pg_advisory_xact_lock(731083, %(space)s)

-- name: memories: memories with how many sources they have, by ids, entries, or what they are; the most important first
select m.id::text as id, m.category, m.importance::text as importance, m.summary, m.details, m.hash, m.source,
    m.created_at, m.updated_at, m.last_accessed_at, m.access_count, m.version, m.archived, %(space_name)s as space,
    m.user_name as "user", m.session, m.happened_at, m.stated_count, m.entry_id,
    coalesce(m.valid_from, m.happened_at) as valid_from, m.valid_until, m.metadata,
    (select count(*) from longterm.sources o
        where o.space_id = m.space_id and o.memory_id = m.id and o.version = m.version)::integer as sources
from longterm.long_term_memory m
where m.space_id = %(space)s
    and (%(ids)s::uuid[] is null or m.id = any(%(ids)s::uuid[]))
    and (%(entries)s::int8[] is null or m.entry_id = any(%(entries)s::int8[]))
    and (%(category)s::text is null or m.category = %(category)s)
    and (%(importance)s::text is null or m.importance = %(importance)s::text::longterm.importance)
    and (%(user)s::text is null or m.user_name = %(user)s)
    and (%(archived)s::boolean is null or m.archived = %(archived)s)
    and (%(text)s::text is null or m.summary ilike %(text)s or m.details ilike %(text)s)
    and (%(since)s::timestamptz is null or m.happened_at >= %(since)s)
    and (%(until)s::timestamptz is null or m.happened_at < %(until)s)
    and (%(current_at)s::timestamptz is null or m.valid_until is null or m.valid_until > %(current_at)s)
    and (%(filter)s::jsonpath is null or m.metadata @@ %(filter)s::jsonpath)
    and (%(after)s::uuid is null or m.archived > %(after_archived)s::boolean
        or (m.importance, m.updated_at, m.id)
            < (%(after_importance)s::text::longterm.importance, %(after_updated)s::timestamptz, %(after)s))
    and (%(after_archived)s::boolean is null or m.archived >= %(after_archived)s)
order by m.archived, m.importance desc, m.updated_at desc, m.id desc
limit %(limit)s offset %(offset)s

-- name: ids_like: memories whose id begins so
select id from longterm.long_term_memory
where space_id = %(space)s and id::text like %(prefix)s order by id limit 2

-- name: by_hash: the memory of a user that says this: the live one, else the one archived last
select id from longterm.long_term_memory
where space_id = %(space)s and user_name is not distinct from %(user)s and hash = %(hash)s
order by archived, updated_at desc, id limit 1

-- name: live_with_hash: another live memory of a user that says this
select id from longterm.long_term_memory
where space_id = %(space)s and user_name is not distinct from %(user)s and hash = %(hash)s and not archived
    and id <> %(id)s

-- name: insert_memory: a new memory
insert into longterm.long_term_memory (space_id, id, category, importance, summary, details, hash, source, created_at,
    updated_at, user_name, session, happened_at, entry_id, metadata, valid_from, valid_until, told_until)
values (%(space)s, %(id)s, %(category)s, %(importance)s::text::longterm.importance, %(summary)s, %(details)s, %(hash)s,
    %(source)s, %(now)s, %(now)s, %(user)s, %(session)s, %(happened_at)s, %(entry)s,
    %(metadata)s, %(valid_from)s, %(valid_until)s, %(valid_until)s)

-- name: rewrite: what a memory says from now on
update longterm.long_term_memory
set category = %(category)s, importance = %(importance)s::text::longterm.importance, summary = %(summary)s,
    details = %(details)s, hash = %(hash)s, entry_id = %(entry)s, happened_at = %(happened_at)s,
    version = version + 1, updated_at = %(now)s
where space_id = %(space)s and id = %(id)s

-- name: restate: a memory was said again
update longterm.long_term_memory
set stated_count = stated_count + 1, updated_at = %(now)s
where space_id = %(space)s and id = %(id)s

-- name: raise_importance: a memory is more important from now on; that is a new version of it
update longterm.long_term_memory
set importance = %(importance)s::text::longterm.importance, version = version + 1
where space_id = %(space)s and id = %(id)s

-- name: archive: memories are out of recall from now on
update longterm.long_term_memory set archived = true, entry_id = null, updated_at = %(now)s
where space_id = %(space)s and id = any(%(ids)s::uuid[])

-- name: revive: an archived memory is back
update longterm.long_term_memory set archived = false, entry_id = %(entry)s, updated_at = %(now)s
where space_id = %(space)s and id = %(id)s

-- name: sign: who made the latest change of memories, what it was, and why
update longterm.history h set act = %(act)s, changed_at = %(now)s, changed_by = %(by)s, reason = %(reason)s
where h.space_id = %(space)s and h.id in (
    select max(id) from longterm.history where space_id = %(space)s and memory_id = any(%(ids)s::uuid[]) group by memory_id)

-- name: history: how a memory read before each change, the latest first
select version, act, category, importance::text as importance, summary, details, changed_at, changed_by, reason
from longterm.history where space_id = %(space)s and memory_id = %(id)s
order by id desc

-- name: wording: how a version of a memory read
select category, importance::text as importance, summary, details from longterm.history
where space_id = %(space)s and memory_id = %(id)s and version = %(version)s
order by id limit 1

-- name: insert_source: words that a version of a memory rests on
insert into longterm.sources (space_id, memory_id, version, session, message, message_id, turn_index, excerpt,
    evaluator, rule, happened_at, created_at)
values (%(space)s, %(id)s, %(version)s, %(session)s, %(message)s, %(number)s, %(turn)s, %(excerpt)s, %(by)s, %(rule)s,
    %(happened_at)s, %(now)s)
on conflict do nothing

-- name: carry_sources: what one version rests on, another rests on too
insert into longterm.sources (space_id, memory_id, version, session, message, message_id, turn_index, excerpt,
    evaluator, rule, happened_at, created_at)
select space_id, memory_id, %(version)s, session, message, message_id, turn_index, excerpt, evaluator, rule,
    happened_at, created_at
from longterm.sources where space_id = %(space)s and memory_id = %(id)s and version = %(before)s
order by id
on conflict do nothing

-- name: told_by: which of these messages a memory rests on already, in any version
select session, message from longterm.sources
where space_id = %(space)s and memory_id = %(id)s and message = any(%(messages)s::text[])

-- name: sources: the words that the memory rests on as it reads now, the latest first
select o.excerpt, o.turn_index as turn, o.message, o.session, o.happened_at, o.message_id as number
from longterm.sources o
join longterm.long_term_memory m on m.space_id = o.space_id and m.id = o.memory_id and m.version = o.version
where o.space_id = %(space)s and o.memory_id = %(id)s
order by o.happened_at desc nulls last, o.id desc

-- name: numbers: the messages of the record by the ids that callers gave them
select t.place::integer as place, m.id
from unnest(%(messages)s::text[], %(sessions)s::text[]) with ordinality as t (message, session, place)
left join core.sessions s on s.space_id = %(space)s and s.name = t.session
join core.messages m on m.space_id = %(space)s and m.external_id = t.message
    and (t.session is null or m.session_id = s.id)

-- name: messages_there: which messages were not forgotten
select id from core.messages where space_id = %(space)s and id = any(%(numbers)s::int8[])

-- name: accessed: memories were put into a prompt; those that were a moment ago do not count again
update longterm.long_term_memory set access_count = access_count + 1, last_accessed_at = %(now)s
where space_id = %(space)s and id = any(%(ids)s::uuid[])
    and (last_accessed_at is null or last_accessed_at <= %(now)s::timestamptz - %(apart)s::interval)
returning id

-- name: counts: how many memories there are of each category and importance
select m.category, m.importance::text as importance, count(*) filter (where not m.archived)::integer as live,
    count(*) filter (where m.archived)::integer as archived
from longterm.long_term_memory m
where m.space_id = %(space)s and (%(user)s::text is null or m.user_name = %(user)s)
group by m.category, m.importance
order by m.category, m.importance desc

-- name: add_metadata: what else is known of a memory that was said again: more of it
update longterm.long_term_memory set metadata = metadata || %(metadata)s
where space_id = %(space)s and id = %(id)s

-- name: set_metadata: what else is known of a memory from now on
update longterm.long_term_memory set metadata = %(metadata)s, updated_at = %(now)s
where space_id = %(space)s and id = %(id)s
