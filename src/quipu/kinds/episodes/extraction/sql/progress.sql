-- name: hold: one at a time changes what is borne in mind in a space
select pg_advisory_xact_lock(731079, %(space)s)

-- name: session: a session and how far it was read
select s.id, coalesce(p.mark, -1) as mark
from core.sessions s
left join episodes.progress p on p.space_id = s.space_id and p.session_id = s.id and p.topic = %(topic)s
where s.space_id = %(space)s and s.name = %(name)s

-- name: exchanges: exchanges with something said after a message, in their order
select first_message, last_message, user_name, chunk from episodes.exchanges
where space_id = %(space)s and session_id = %(session)s and last_message > %(mark)s
order by first_message limit %(limit)s

-- name: exchange_before: where the exchange before begins
select first_message from episodes.exchanges
where space_id = %(space)s and session_id = %(session)s and first_message < %(first)s
order by first_message desc limit 1

-- name: turns: what was said from one message to another; only the beginning of what is very long
select id as message, coalesce(speaker, role) as voice, role = 'assistant' as by_agent, left(content, 8000) as text,
    happened_at as at
from core.messages
where space_id = %(space)s and session_id = %(session)s and id between %(first)s and %(last)s
    and role in ('user', 'assistant') and content <> ''
order by id

-- name: is_there: whether a session was not forgotten
select id from core.sessions where space_id = %(space)s and id = %(session)s for key share

-- name: mark: how far a session was read
select mark from episodes.progress where space_id = %(space)s and session_id = %(session)s and topic = %(topic)s

-- name: advance: how far a session was read
insert into episodes.progress (space_id, session_id, topic, mark, updated_at)
values (%(space)s, %(session)s, %(topic)s, %(mark)s, %(now)s)
on conflict (space_id, session_id, topic) do update set mark = excluded.mark, updated_at = excluded.updated_at
