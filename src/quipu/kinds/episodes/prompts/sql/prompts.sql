-- name: put_prompt: a prompt that waits
insert into episodes.prompts (space_id, session, user_name, content, created_at)
values (%(space)s, %(session)s, %(user)s, %(content)s, %(now)s)
returning id

-- name: prompts: prompts with their answers, the latest first; one that is not answered waits while its job does
select p.id::text as id, p.session, p.user_name as "user", coalesce(p.content, q.content, '') as prompt, t.status, r.content as reply,
    p.answered_by,
    case t.status when 'no_agent' then %(no_agent)s::text
        when 'failed' then case when j.dead_at is null then %(no_job)s::text else %(given_up)s::text end end as error,
    p.created_at, p.answered_at
from episodes.prompts p
left join core.messages q on q.space_id = p.space_id and q.id = p.prompt_message
left join core.messages r on r.space_id = p.space_id and r.id = p.reply_message
left join core.outbox j on p.status = 'waiting' and j.space_id = %(space)s
    and (j.topic, j.key) = (
        case when p.content is null then %(chat)s else %(prompt)s end,
        case when p.content is null then left(p.session, 400) else p.id::text end)
cross join lateral (
    select case when p.status = 'waiting' and (j.id is null or j.dead_at is not null) then 'failed' else p.status end
) t (status)
where p.space_id = %(space)s
    and (%(id)s::uuid is null or p.id = %(id)s)
    and (%(session)s::text is null or p.session = %(session)s)
    and (%(status)s::text is null or t.status = %(status)s)
order by p.created_at desc, p.id
limit %(limit)s

-- name: history: the latest messages of a session, the last first
select m.external_id as message, m.role, m.speaker, m.user_name as "user", left(m.content, 20000) as content
from core.messages m
where m.space_id = %(space)s
    and m.session_id = (select id from core.sessions where space_id = %(space)s and name = %(session)s)
order by m.id desc
limit %(limit)s

-- name: message: the words of a message of a session, by the id that the caller gave
select m.content from core.messages m
where m.space_id = %(space)s and m.external_id = %(message)s
    and m.session_id = (select id from core.sessions where space_id = %(space)s and name = %(session)s)

-- name: settle: a prompt is answered; both stand in the record by now
update episodes.prompts p set
    status = %(status)s, answered_by = %(by)s, answered_at = %(now)s, content = null,
    prompt_message = (select m.id from core.messages m
        where m.space_id = %(space)s and m.external_id = %(prompt_message)s and m.session_id = s.id),
    reply_message = (select m.id from core.messages m
        where m.space_id = %(space)s and m.external_id = %(reply_message)s and m.session_id = s.id)
from core.sessions s
where p.space_id = %(space)s and p.id = any(%(ids)s::uuid[]) and s.space_id = %(space)s and s.name = p.session

-- name: waiting_of_session: prompts that wait for the next answer in a session
select id from episodes.prompts
where space_id = %(space)s and session = %(session)s and status = 'waiting' and content is null

-- name: put_request: somebody waits for the answer to what was said last in a session
insert into episodes.prompts (space_id, session, user_name, prompt_message, created_at)
select %(space)s, s.name, m.user_name, m.id, %(now)s
from core.sessions s
join lateral (
    select id, user_name, role from core.messages
    where space_id = %(space)s and session_id = s.id and role in ('user', 'assistant', 'tool') and content <> '' order by id desc limit 1
) m on m.role = 'user'
where s.space_id = %(space)s and s.name = %(session)s
returning id

-- name: tell: those who wait for it look
select pg_notify('quipu_replies', id::text) from unnest(%(ids)s::uuid[]) as t (id)
