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

-- name: reopen: it is open after all
update episodes.loops
set state = 'open', closed_at = null, outcome = null, evidence = null, evidence_message = null, reopened = reopened + 1
where space_id = %(space)s and id = %(id)s and state = 'closed'
returning id

-- name: loops: loops with where they were said; the latest first
select l.id, l.kind, l.state, l.content as text, l.by_whom as by, l.user_name as "user", s.name as session,
    m.external_id as message, l.said_at, l.due_at as due, l.mentions, l.closed_at, l.outcome, l.evidence,
    e.external_id as evidence_message, l.reopened
from (
    select * from episodes.loops
    where space_id = %(space)s
        and (%(id)s::uuid is null or id = %(id)s)
        and (%(state)s::text is null or state = %(state)s)
        and (%(kind)s::text is null or kind = %(kind)s)
        and (%(user)s::text is null or user_name = %(user)s)
        and (%(session)s::text is null or session_id = (
            select n.id from core.sessions n where n.space_id = %(space)s and n.name = %(session)s))
    order by coalesce(closed_at, said_at) desc, id
    limit %(limit)s offset %(offset)s
) l
join core.sessions s on s.space_id = l.space_id and s.id = l.session_id
join core.messages m on m.space_id = l.space_id and m.id = l.message_id
left join core.messages e on e.space_id = l.space_id and e.id = l.evidence_message
order by coalesce(l.closed_at, l.said_at) desc, l.id

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
