-- name: standing: what is open to a person, or in a session, the latest first
select l.id, l.kind, l.message_id as message, l.by_whom as voice, l.content as text, l.things, l.verbs
from episodes.loops l
where l.space_id = %(space)s and l.state = 'open'
    and (l.session_id = %(session)s or l.user_name = %(user)s::text)
order by l.said_at desc, l.id limit 300

-- name: known: what messages of a session ever left open
select message_id, kind from episodes.loops
where space_id = %(space)s and session_id = %(session)s and message_id >= %(first)s

-- name: open: something is left open
insert into episodes.loops (space_id, id, kind, content, by_whom, user_name, session_id, message_id, said_at, due_at,
    things, verbs)
values (%(space)s, %(id)s, %(kind)s, left(%(text)s, 2000), %(voice)s, %(user)s, %(session)s, %(message)s, %(at)s,
    %(due)s, %(things)s, %(verbs)s)

-- name: rest_on: the messages whose words are in a loop
insert into episodes.loop_messages (space_id, loop_id, message_id)
select %(space)s, %(id)s, m.id from core.messages m
where m.space_id = %(space)s and m.id = any(%(messages)s::int8[])
on conflict do nothing

-- name: mention: it was said again
update episodes.loops set mentions = mentions + 1, said_at = greatest(said_at, %(at)s), due_at = coalesce(%(due)s, due_at)
where space_id = %(space)s and id = %(id)s and state = 'open'

-- name: close: it is resolved, or nobody wants it any more
update episodes.loops
set state = 'closed', closed_at = %(at)s, outcome = %(outcome)s, evidence = left(%(evidence)s, 1000),
    evidence_message = %(message)s
where space_id = %(space)s and id = %(id)s and state = 'open'
returning id

-- name: lapse: what was due long ago and never spoken of as done
update episodes.loops
set state = 'closed', closed_at = %(at)s, outcome = 'dropped', evidence = %(evidence)s, evidence_message = null
where space_id = %(space)s and state = 'open'
    and coalesce(due_at + %(days)s * interval '1 day', said_at + %(undated)s * interval '1 day') < %(at)s::timestamptz
    and (session_id = %(session)s or user_name = %(user)s::text)

-- name: reopen: it is open after all
update episodes.loops
set state = 'open', closed_at = null, outcome = null, evidence = null, evidence_message = null, reopened = reopened + 1
where space_id = %(space)s and id = %(id)s and state = 'closed'
returning id

-- name: loops: loops with where they were said, by ids
select l.id, l.kind, l.state, l.content as text, l.by_whom as by, l.user_name as "user", s.name as session,
    m.external_id as message, l.said_at, l.due_at as due, l.mentions, l.closed_at, l.outcome, l.evidence,
    e.external_id as evidence_message, l.reopened
from episodes.loops l
cross join lateral (select name from core.sessions where space_id = %(space)s and id = l.session_id offset 0) s
cross join lateral (select external_id from core.messages where space_id = %(space)s and id = l.message_id offset 0) m
left join lateral (
    select external_id from core.messages where space_id = %(space)s and id = l.evidence_message offset 0
) e on true
where l.space_id = %(space)s and l.id = any(%(ids)s::uuid[])

-- name: listed: which loops there are, the latest first, behind one of them
select id from episodes.loops
where space_id = %(space)s
    and (%(state)s::text is null or state = %(state)s)
    and (%(kind)s::text is null or kind = %(kind)s)
    and (%(user)s::text is null or user_name = %(user)s)
    and (%(session)s::text is null or session_id = (
        select n.id from core.sessions n where n.space_id = %(space)s and n.name = %(session)s))
    and (%(after)s::uuid is null or (coalesce(closed_at, said_at), id) < (%(after_at)s::timestamptz, %(after)s))
order by coalesce(closed_at, said_at) desc, id desc
limit %(limit)s offset %(offset)s

-- name: pressing: what may be urgent of what is open to a person or in a session: the latest, and what is due soonest
with open_ones as not materialized (
    select id, kind, said_at, due_at as due, mentions, coalesce(closed_at, said_at) as latest
    from episodes.loops
    where space_id = %(space)s and state = 'open'
        and (%(user)s::text is null or user_name = %(user)s)
        and (%(session)s::text is null or session_id = (
            select n.id from core.sessions n where n.space_id = %(space)s and n.name = %(session)s))
)
(select id, kind, said_at, due, mentions from open_ones order by latest desc limit 1000)
union
(select id, kind, said_at, due, mentions from open_ones where due <= %(now)s::timestamptz order by due desc limit 500)
union
(select id, kind, said_at, due, mentions from open_ones where due > %(now)s::timestamptz order by due limit 500)

-- name: ids_like: loops whose id begins so
select id from episodes.loops where space_id = %(space)s and id::text like %(prefix)s order by id limit 2

-- name: doomed: loops that an erasure takes: with words of what goes in them, or of a person who goes
select l.id from episodes.loops l
where l.space_id = %(space)s
    and (%(everything)s or l.message_id = any(%(ids)s::int8[]) or l.user_name = %(person)s::text
        or exists (
            select from episodes.loop_messages o
            where o.space_id = l.space_id and o.loop_id = l.id and o.message_id = any(%(ids)s::int8[])))

-- name: erase: take loops
delete from episodes.loops where space_id = %(space)s and id = any(%(loops)s::uuid[])

-- name: erase_evidence: the words that closed a loop go with their message; it stays closed
update episodes.loops set evidence = null, evidence_message = null
where space_id = %(space)s and evidence_message = any(%(ids)s::int8[])

-- name: derived: loops as statements that were derived from messages, by ids or messages
select 'loop' as kind, l.id, l.content as text, l.kind as rule, '' as reader,
    array(select message_id from episodes.loop_messages o where o.space_id = l.space_id and o.loop_id = l.id
        union select l.message_id) as messages,
    l.state = 'open' as live
from episodes.loops l
where l.space_id = %(space)s
    and (%(ids)s::uuid[] is null or l.id = any(%(ids)s))
    and (%(messages)s::int8[] is null or l.message_id = any(%(messages)s) or l.id in (
        select o.loop_id from episodes.loop_messages o
        where o.space_id = %(space)s and o.message_id = any(%(messages)s)))

-- name: count_of_rule: how many loops of a kind there are
select count(*) from episodes.loops where space_id = %(space)s and kind = %(rule)s
