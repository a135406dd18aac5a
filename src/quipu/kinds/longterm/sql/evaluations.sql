-- name: evaluated: how far a session was evaluated, held until the transaction ends where it is to be moved
select message_id, turns from longterm.evaluations
where space_id = %(space)s and session_id = %(session)s and evaluator = %(evaluator)s
for update

-- name: evaluated_so_far: the same, only read
select message_id, turns from longterm.evaluations
where space_id = %(space)s and session_id = %(session)s and evaluator = %(evaluator)s

-- name: mark_evaluated: a session is evaluated up to a message
insert into longterm.evaluations (space_id, session_id, evaluator, version, message_id, turns, evaluated_at)
values (%(space)s, %(session)s, %(evaluator)s, %(version)s, %(message)s, %(turns)s, %(now)s)
on conflict (space_id, session_id, evaluator) do update
set version = excluded.version, message_id = excluded.message_id, turns = excluded.turns,
    evaluated_at = excluded.evaluated_at, trouble = null

-- name: turns_after: what was said in a session after a message, in its order; ids begin with the session's number
select id, external_id, role, user_name as "user", happened_at, content, speaker from core.messages
where space_id = %(space)s and id > greatest(%(after)s::int8, (%(session)s::int8 << 24) - 1)
    and id < (%(session)s::int8 + 1) << 24 and role in ('user', 'assistant') and content <> ''
order by id
limit %(limit)s

-- name: turns_until: what was said in a session up to a message, the latest first
select id, external_id, role, user_name as "user", happened_at, content, speaker from core.messages
where space_id = %(space)s and id <= %(until)s and id >= %(session)s::int8 << 24 and role in ('user', 'assistant') and content <> ''
order by id desc
limit %(limit)s

-- name: turns_named: messages by the ids that callers gave them, in one session or in any
select m.id, m.external_id, m.role, m.user_name as "user", m.happened_at, m.content, m.speaker, s.name as session
from core.messages m
left join core.sessions s on s.space_id = m.space_id and s.id = m.session_id
where m.space_id = %(space)s and m.external_id = %(message)s and m.role in ('user', 'assistant') and m.content <> ''
    and (%(session)s::text is null or s.name = %(session)s)
order by m.id desc
limit %(limit)s

-- name: written_by: which of these memories an evaluator wrote, or added to
select distinct memory_id::text from longterm.sources
where space_id = %(space)s and memory_id = any(%(ids)s::uuid[]) and starts_with(evaluator, %(evaluator)s)

-- name: unevaluated: sessions with turns of users that an evaluator did not read, and how much that is
select count(*) as turns, count(*) filter (where m.role = 'user') as exchanges,
    sum(least(char_length(m.content), case m.role when 'user' then %(of_user)s::int else %(of_assistant)s::int end))
    as characters
from core.messages m
left join longterm.evaluations e
    on e.space_id = m.space_id and e.session_id = m.id >> 24 and e.evaluator = %(evaluator)s
where m.space_id = %(space)s and m.role in ('user', 'assistant') and m.content <> '' and m.id > coalesce(e.message_id, 0)
group by m.id >> 24
having count(*) filter (where m.role = 'user') > 0
