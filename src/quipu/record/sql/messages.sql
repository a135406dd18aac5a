-- name: messages_last: the last messages of a session up to a place, in order
select * from (
    select m.id as number, m.external_id as id, m.role, m.content, m.item, m.metadata, m.happened_at as time, m.speaker,
        m.user_name as "user"
    from core.messages m
    where m.space_id = %(space)s and m.id >= %(first)s::int8 and m.id < %(before)s::int8
    order by m.id desc
    limit %(limit)s
) m order by m.number

-- name: messages_after: messages of a session from a place on, in order
select m.id as number, m.external_id as id, m.role, m.content, m.item, m.metadata, m.happened_at as time, m.speaker,
    m.user_name as "user"
from core.messages m
where m.space_id = %(space)s and m.id > %(after)s::int8 and m.id < %(before)s::int8
order by m.id
limit %(limit)s

-- name: message: the message with an id, in a session or in the latest that has one
select m.id as number, m.external_id as id, m.role, m.content, m.item, m.metadata, m.happened_at as time, m.speaker,
    m.user_name as "user"
from core.messages m
left join core.sessions s on s.space_id = m.space_id and s.id = m.session_id
where m.space_id = %(space)s and m.external_id = %(message)s and (%(session)s::text is null or s.name = %(session)s)
order by m.id desc
limit 1

-- name: place_of: where a message stands in its session
select id from core.messages
where space_id = %(space)s and external_id = %(message)s and session_id = %(session)s

-- name: take_back: take the last messages of a session that is held back; they are kept apart until retention
--
-- One that waits to be filed is held, so that it is not filed meanwhile; of the others the index has an entry. Whose the
-- session is does not change: they may come back.
with last as materialized (
    select m.id from core.messages m
    where m.space_id = (select core.current_space()) and m.id >= (
            select id << 24 from core.sessions where space_id = (select core.current_space()) and name = %(session)s)
        and m.id <= (
            select (id << 24) + 16777215 from core.sessions
            where space_id = (select core.current_space()) and name = %(session)s)
    order by m.id desc
    limit %(most)s
), waiting as (
    select message_id from core.unindexed_messages
    where space_id = (select core.current_space()) and message_id = any(array(select id from last))
    order by message_id
    for update
), gone as (
    delete from core.messages
    where space_id = (select core.current_space()) and id = any(array(select id from last))
    returning id, session_id, external_id, role, speaker, user_name, happened_at, recorded_at, redacted, content, item,
        metadata
), kept as (
    insert into core.removed_messages (id, session_id, external_id, role, speaker, user_name, happened_at, recorded_at,
        redacted, content, item, metadata, removed_at)
    select id, session_id, external_id, role, speaker, user_name, happened_at, recorded_at, redacted, content, item,
        metadata, %(now)s
    from gone
), shrunk as (
    update core.sessions s set messages = l.messages, started_at = l.started_at, last_at = l.last_at
    from (select min(id) as id, min(id) >> 24 as session from last) f
    cross join lateral (
        select count(*) as messages, min(happened_at) as started_at, max(happened_at) as last_at
        from core.messages
        where space_id = (select core.current_space()) and id >= f.session << 24 and id < f.id
    ) l
    where s.space_id = (select core.current_space()) and s.id = f.session
)
select g.id as number, g.external_id as id, g.role, g.content, g.item, g.metadata, g.happened_at as time, g.speaker,
    g.user_name as "user", g.content <> '' and w.message_id is null as is_filed
from gone g
left join waiting w on w.message_id = g.id

-- name: find_removed: the message with an id that was taken back last, in a session or in any
select r.id, s.name, r.session_id, r.role, r.speaker, r.user_name, r.happened_at, r.recorded_at, r.content
from core.removed_messages r
join core.sessions s on s.space_id = r.space_id and s.id = r.session_id
where r.space_id = %(space)s and r.external_id = %(message)s and (%(session)s::text is null or s.name = %(session)s)
order by r.removed_at desc, r.id desc
limit 1

-- name: put_back: a removed message is a message again
with back as (
    delete from core.removed_messages
    where space_id = %(space)s and id = %(id)s
    returning id, session_id, external_id, role, speaker, user_name, happened_at, recorded_at, redacted, content, item,
        metadata
)
insert into core.messages (space_id, id, session_id, external_id, role, speaker, user_name, happened_at, recorded_at,
    redacted, content, item, metadata)
select %(space)s, id, session_id, external_id, role, speaker, user_name, happened_at, recorded_at, redacted, content, item,
    metadata
from back
returning id as number, external_id as id, role, content, item, metadata, happened_at as time, speaker,
    user_name as "user"

-- name: drop_removed: messages that were removed so long ago are gone for good
delete from core.removed_messages where space_id = %(space)s and removed_at < %(before)s returning id

-- name: count_removal: whoever read the space before sees that something went since
update core.spaces set epoch = epoch + 1 where id = %(space)s

-- name: drop_threads: threads of sessions that have nothing any more go, and are counted off
with gone as (
    delete from core.recall_threads t
    where t.space_id = %(space)s and t.id = any(%(ids)s::int8[])
        and not exists (
            select from core.messages
            where space_id = %(space)s and id between t.id << 24 and (t.id << 24) + 16777215)
        and not exists (
            select from core.removed_messages
            where space_id = %(space)s and id between t.id << 24 and (t.id << 24) + 16777215)
    returning 1
)
update core.spaces set threads = threads - (select count(*) from gone) where id = %(space)s

-- name: drop_emptied: sessions that have nothing any more
select core.drop_empty_sessions(%(ids)s::int8[])

-- name: removed_matching: removed messages that an erasure takes
--
-- As in matching: in the session of a person, what names no user is theirs.
select r.id, coalesce(s.name, ''), r.external_id
from core.removed_messages r
left join core.sessions s on s.space_id = r.space_id and s.id = r.session_id
where r.space_id = %(space)s
    and (%(user)s::text is null or r.user_name = %(user)s or r.speaker = %(user)s
        or r.user_name is null and coalesce(s.distinct_id, s.belongs_to) = %(user)s)
    and (%(message)s::text is null or r.external_id = %(message)s)
    and (%(session)s::text is null or s.name = %(session)s)

-- name: erase_removed: removed messages are gone for good
delete from core.removed_messages where space_id = %(space)s and id = any(%(ids)s::int8[])

-- name: matching_all: messages with a text whose metadata a filter lets through
select id from core.messages
where space_id = %(space)s and content <> '' and metadata @@ %(metadata)s::jsonpath

-- name: matching_agent: those of one agent
select id from core.messages
where space_id = %(space)s and agent_id = left(%(equal)s, 512) and content <> '' and metadata @@ %(metadata)s::jsonpath

-- name: matching_app: those of one application
select id from core.messages
where space_id = %(space)s and app_id = left(%(equal)s, 512) and content <> '' and metadata @@ %(metadata)s::jsonpath

-- name: matching_run: those of one run
select id from core.messages
where space_id = %(space)s and run_id = left(%(equal)s, 512) and content <> '' and metadata @@ %(metadata)s::jsonpath
