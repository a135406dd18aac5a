-- name: add: note that a statement is wrong, for each message that it rests on
insert into core.corrections (space_id, kind, memory_id, message_id, marked, text, rule, reader, reason, was_live,
    corrected_at)
select %(space)s, %(kind)s, %(id)s, m.id, %(marked)s, %(text)s, %(rule)s, %(reader)s, %(reason)s, %(was_live)s, %(now)s
from core.messages m
where m.space_id = %(space)s and m.id = any(%(messages)s::int8[])
on conflict do nothing

-- name: of_messages: what was said to be wrong of messages
select message_id, text from core.corrections where space_id = %(space)s and message_id = any(%(messages)s::int8[])

-- name: listed: corrections, the latest first
select c.memory_id as id, c.kind, c.text, c.rule, c.reader, c.reason, c.corrected_by as by, c.corrected_at,
    count(*)::integer as messages, c.marked
from core.corrections c
where c.space_id = %(space)s
    and (%(kind)s::text is null or c.kind = %(kind)s)
    and (%(rule)s::text is null or c.rule = %(rule)s)
    and (%(id)s::uuid is null or c.memory_id = %(id)s)
group by c.memory_id, c.kind, c.text, c.rule, c.reader, c.reason, c.corrected_by, c.corrected_at, c.marked
order by c.corrected_at desc, c.memory_id = c.marked desc, c.memory_id
limit %(limit)s offset %(offset)s

-- name: ids_like: corrected statements whose id begins so
select distinct memory_id as id from core.corrections
where space_id = %(space)s and memory_id::text like %(prefix)s order by memory_id limit 2

-- name: remove: take back what was said to be wrong of a statement, and of those that went with it
with gone as (
    delete from core.corrections where space_id = %(space)s and marked = %(marked)s
    returning kind, memory_id, was_live
)
select kind, memory_id as id, bool_or(was_live) as was_live from gone group by kind, memory_id

-- name: counts: how many statements of each rule were said to be wrong
select kind, rule, count(distinct memory_id)::integer as wrong from core.corrections
where space_id = %(space)s group by kind, rule order by kind, rule

-- name: count_of_erasure: corrections that go with messages
select count(distinct (kind, memory_id)) from core.corrections
where space_id = %(space)s and message_id = any(%(messages)s::int8[])

-- name: beside: corrections of statements that lose some messages and keep others: what both say
select c.kind, c.memory_id as id, c.text,
    array_agg(m.content) filter (where c.message_id = any(%(messages)s::int8[])),
    array_agg(m.content) filter (where c.message_id <> all(%(messages)s::int8[]))
from core.corrections c
join core.messages m on m.space_id = c.space_id and m.id = c.message_id
where c.space_id = %(space)s and (c.kind, c.memory_id) in (
    select g.kind, g.memory_id from core.corrections g
    where g.space_id = %(space)s and g.message_id = any(%(messages)s::int8[]))
group by c.kind, c.memory_id, c.text

-- name: erase: erase the corrections of a statement
delete from core.corrections where space_id = %(space)s and kind = %(kind)s and memory_id = %(id)s

-- name: erase_reason: erase why a statement is wrong: it may repeat words that go
update core.corrections set reason = null where space_id = %(space)s and kind = %(kind)s and memory_id = %(id)s

-- name: disown: erase who said that something is wrong
update core.corrections set corrected_by = null where space_id = %(space)s and corrected_by = %(user)s
