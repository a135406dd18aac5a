-- name: latest_unindexed: messages that the index does not know, the latest first
select m.id, m.session_id, m.role, m.speaker, m.user_name, m.happened_at, m.recorded_at, m.content
from (
    select message_id from core.unindexed_messages
    where space_id = %(space)s
    order by happened_at desc, message_id desc
    limit %(limit)s
) u
cross join lateral (
    select * from core.messages where space_id = %(space)s and id = u.message_id offset 0
) m
order by m.id

-- name: hold_unindexed: of these messages, those that the index does not know still; nobody else files them meanwhile
select message_id from core.unindexed_messages
where space_id = %(space)s and message_id = any(%(ids)s::int8[])
order by message_id
for update

-- name: filed_messages: the index knows these messages now
delete from core.unindexed_messages where space_id = %(space)s and message_id = any(%(ids)s::int8[])

-- name: count_unindexed: how many messages the index does not know
select count(*) from core.unindexed_messages where space_id = %(space)s

-- name: settle_unindexed: nothing is left to be filed, if that is so; the first bit is that of messages
update core.spaces set unindexed = unindexed & ~1
where id = %(space)s and not exists (select from core.unindexed_messages where space_id = %(space)s)

-- name: leave_unindexed: messages that the index does not know yet
insert into core.unindexed_messages (space_id, message_id, happened_at)
select %(space)s, m.id, m.happened_at
from unnest(%(id)s::int8[], %(happened_at)s::timestamptz[]) as m (id, happened_at)

-- name: mark_unindexed: let recalls know that there is something to file
update core.spaces set unindexed = unindexed | 1 where id = %(space)s and unindexed & 1 = 0

-- name: leave_behind: write messages behind the last of a session that is held, for the index to know them later
--
-- In one statement, as a peer's session adds what was said in one round trip. Of a session that is verbatim items are
-- kept whole. A thread of more than 16 million entries is left to who says so.
with thread as (
    update core.recall_threads t set next_position = t.next_position + cardinality(%(external)s::text[])
    from core.sessions s
    where s.space_id = (select core.current_space()) and s.name = %(name)s
        and t.space_id = (select core.current_space()) and t.id = s.id
        and t.next_position + cardinality(%(external)s::text[]) <= 16777216
    returning t.id, t.next_position - cardinality(%(external)s::text[]) as first, s.verbatim
), written as (
    insert into core.messages (space_id, id, session_id, external_id, role, speaker, user_name, happened_at, recorded_at,
        redacted, content, item, metadata)
    select (select core.current_space()), (t.id << 24) + t.first + m.place - 1, t.id, m.external_id, m.role, m.speaker,
        m.user_name, m.happened_at, m.recorded_at, m.redacted - case when t.verbatim then m.cut else 0 end, m.content,
        case when t.verbatim then coalesce(m.whole, m.item) else m.item end, coalesce(m.metadata::jsonb, '{}')
    from thread t
    cross join unnest(%(external)s::text[], %(role)s::text[], %(speaker)s::text[], %(user)s::text[],
        %(happened_at)s::timestamptz[], %(recorded_at)s::timestamptz[], %(redacted)s::int4[], %(content)s::text[],
        %(item)s::text[], %(metadata)s::text[], %(cut)s::int4[], %(whole)s::text[]) with ordinality
        as m (external_id, role, speaker, user_name, happened_at, recorded_at, redacted, content, item, metadata, cut,
            whole, place)
    returning id, happened_at, content
), waiting as (
    insert into core.unindexed_messages (message_id, happened_at)
    select id, happened_at from written where content <> ''
), grown as (
    update core.sessions s set
        messages = s.messages + cardinality(%(external)s::text[]),
        started_at = least(s.started_at, g.started_at),
        last_at = greatest(s.last_at, g.last_at)
    from (select min(id) >> 24 as id, min(happened_at) as started_at, max(happened_at) as last_at from written) g
    where s.space_id = (select core.current_space()) and s.id = g.id
), marked as (
    update core.spaces set unindexed = unindexed | 1
    where id = (select core.current_space()) and unindexed & 1 = 0 and exists (select from written where content <> '')
)
select verbatim from thread
