-- name: open_sessions: make sessions that are not there
insert into core.sessions (space_id, name)
select %(space)s, name from unnest(%(names)s::text[]) as t (name) order by name
on conflict (space_id, name) do nothing

-- name: lock_sessions: hold the sessions that will grow; the space is that of the transaction
select name, id, verbatim from core.sessions
where space_id = (select core.current_space()) and name = any(%(names)s::text[])
order by name
for no key update

-- name: set_verbatim: whether items of sessions are kept as they come
update core.sessions set verbatim = %(verbatim)s
where space_id = %(space)s and id = any(%(ids)s::int8[]) and verbatim <> %(verbatim)s

-- name: session_id: the number of a session
select id from core.sessions where space_id = %(space)s and name = %(name)s

-- name: known_messages: what is stored already under ids that come in; the space is that of the transaction
select t.place, m.content, m.item
from unnest(%(ids)s::text[], %(sessions)s::text[]) with ordinality as t (external_id, session, place)
left join lateral (
    select id from core.sessions where space_id = (select core.current_space()) and name = t.session offset 0
) s on true
cross join lateral (
    select content, md5(item) as item
    from core.messages
    where space_id = (select core.current_space()) and external_id = t.external_id
      and session_id is not distinct from s.id and (t.session is null or s.id is not null)
    offset 0
) m

-- name: insert_messages: write messages down
insert into core.messages (space_id, id, session_id, external_id, role, speaker, user_name, happened_at, recorded_at,
    redacted, content, item, metadata)
select %(space)s, m.id, nullif(m.session_id, 0), m.external_id, m.role, m.speaker, m.user_name, m.happened_at,
    m.recorded_at, m.redacted, m.content, m.item, coalesce(m.metadata::jsonb, '{}')
from unnest(%(id)s::int8[], %(session)s::int8[], %(external)s::text[], %(role)s::text[], %(speaker)s::text[],
    %(user)s::text[], %(happened_at)s::timestamptz[], %(recorded_at)s::timestamptz[], %(redacted)s::int4[],
    %(content)s::text[], %(item)s::text[], %(metadata)s::text[])
    as m (id, session_id, external_id, role, speaker, user_name, happened_at, recorded_at, redacted, content, item,
        metadata)

-- name: grow_sessions: count messages and stretch the span of their sessions
update core.sessions s set
    messages = s.messages + g.messages,
    started_at = least(s.started_at, g.started_at),
    last_at = greatest(s.last_at, g.last_at)
from unnest(%(id)s::int8[], %(messages)s::int4[], %(started_at)s::timestamptz[], %(last_at)s::timestamptz[])
    as g (id, messages, started_at, last_at)
where s.space_id = %(space)s and s.id = any(%(id)s::int8[]) and s.id = g.id

-- name: cite: messages with their sessions
select m.id, m.external_id, s.name as session, m.role, m.speaker, m.user_name, m.happened_at, m.recorded_at, m.content,
    nullif(m.metadata, '{}') as metadata
from core.messages m
left join lateral (
    select name from core.sessions where space_id = %(space)s and id = m.session_id offset 0
) s on true
where m.space_id = %(space)s and m.id = any(%(ids)s::int8[])

-- name: around: a message and those beside it in its session
select m.id, m.external_id, null as session, m.role, m.speaker, m.user_name, m.happened_at, m.recorded_at, m.content,
    nullif(m.metadata, '{}') as metadata
from core.messages m
where m.space_id = %(space)s and m.id between %(id)s::int8 - %(before)s::int4 and %(id)s::int8 + %(after)s::int4
    and %(id)s::int8 > 0 and m.id >> 24 = %(id)s::int8 >> 24
order by m.id

-- name: list_sessions: sessions, the latest first
select name, messages, started_at, last_at
from core.sessions
where space_id = %(space)s
order by last_at desc nulls last, name
limit %(limit)s offset %(offset)s

-- name: counts: how much a space holds
select count(*) as messages, count(distinct session_id) as sessions, coalesce(sum(redacted), 0)::bigint as redacted
from core.messages where space_id = %(space)s

-- name: matching: messages that an erasure is to take
--
-- In the session of a person, what names no user is theirs; what names another is that one's.
select id from core.messages
where space_id = %(space)s
    and (%(user)s::text is null or user_name = %(user)s or speaker = %(user)s
        or user_name is null and session_id in (
            select id from core.sessions where space_id = %(space)s and coalesce(distinct_id, belongs_to) = %(user)s))
    and (%(message)s::text is null or external_id = %(message)s)
    and (%(session)s::text is null
        or session_id = (select id from core.sessions where space_id = %(space)s and name = %(session)s))

-- name: identities: session and own id of messages
select coalesce(s.name, ''), m.external_id from core.messages m
left join core.sessions s on s.space_id = m.space_id and s.id = m.session_id
where m.space_id = %(space)s and m.id = any(%(ids)s::int8[])

-- name: whole_sessions: the sessions of a name, of a person, or all, of which nothing is to be left
select id, name from core.sessions s
where space_id = %(space)s and (%(session)s::text is null or name = %(session)s)
    and (%(user)s::text is null or coalesce(distinct_id, belongs_to) = %(user)s and not exists (
        select from core.messages m
        where m.space_id = %(space)s and m.id between s.id << 24 and (s.id << 24) + 16777215 and m.user_name <> %(user)s))

-- name: disown_sessions: sessions that stay, as others spoke there, are the person's no more
update core.sessions set distinct_id = null
where space_id = %(space)s and distinct_id = %(user)s and messages > 0
    and (%(session)s::text is null or name = %(session)s)

-- name: delete_messages: take messages out
delete from core.messages where space_id = %(space)s and id = any(%(ids)s::int8[])

-- name: recount_sessions: what is left of sessions that lost messages; who has none there any more is not named
with left_over as materialized (
    select t.id, l.messages, l.started_at, l.last_at, l.users
    from (select distinct gone >> 24 as id from unnest(%(ids)s::int8[]) as g (gone) where gone > 0) t
    cross join lateral (
        select count(*) as messages, min(happened_at) as started_at, max(happened_at) as last_at,
            array_agg(distinct user_name) as users
        from core.messages
        where space_id = %(space)s and id between t.id << 24 and (t.id << 24) + 16777215
        offset 0
    ) l
)
update core.sessions s set messages = l.messages, started_at = l.started_at, last_at = l.last_at,
    belongs_to = case when s.belongs_to is null or s.belongs_to = s.distinct_id or s.belongs_to = any(l.users)
        then s.belongs_to else '' end
from left_over l
where s.space_id = %(space)s and s.id = l.id

-- name: emptied: the names of sessions that an erasure leaves empty, which go
select name from core.sessions
where space_id = %(space)s and messages = 0
    and (id in (select gone >> 24 from unnest(%(ids)s::int8[]) as g (gone) where gone > 0)
        or %(message)s::text is null and (%(user)s::text is null or coalesce(distinct_id, belongs_to) = %(user)s)
            and (%(session)s::text is null or name = %(session)s))

-- name: drop_sessions: sessions that an erasure leaves empty: those that lost their last message, those that it names
select core.drop_empty_sessions(array(
    select id from core.sessions
    where space_id = %(space)s and messages = 0
        and (id in (select gone >> 24 from unnest(%(ids)s::int8[]) as g (gone) where gone > 0)
            or %(message)s::text is null and (%(user)s::text is null or coalesce(distinct_id, belongs_to) = %(user)s)
                and (%(session)s::text is null or name = %(session)s))
))

-- name: unindex_named: messages in which a name stands wait to be filed again
with found as (
    select id, happened_at from core.messages
    where space_id = %(space)s and content operator(pg_catalog.~) %(pattern)s
), waiting as (
    insert into core.unindexed_messages (space_id, message_id, happened_at)
    select %(space)s, id, happened_at from found
    on conflict do nothing
)
select id from found
