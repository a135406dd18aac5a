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

-- name: settle_unindexed: nothing is left to be filed, if that is so
update core.spaces set unindexed = unindexed & ~%(bit)s::int4
where id = %(space)s
    and not exists (select from core.unindexed_messages where space_id = %(space)s)
    and not exists (
        select from transcripts.memories where space_id = %(space)s and entry_id is null and status = 'active')
