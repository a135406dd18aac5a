-- name: messages_in_no_exchange: what the chunker has read of a session is in its exchanges, prompts of the system aside
select m.id::text as what
from episodes.progress p
join core.messages m on m.space_id = p.space_id and m.id >= p.session_id << 24 and m.id <= p.mark
    and m.role in ('user', 'assistant', 'tool') and m.content <> ''
where p.space_id = %(space)s and p.topic = 'memory_chunker'
    and not exists (
        select from episodes.exchanges e
        where e.space_id = p.space_id and e.session_id = p.session_id and m.id between e.first_message and e.last_message)
order by m.id

-- name: exchanges_that_overlap: exchanges lie in their session, one after the other
select id::text as what
from (
    select id, session_id, first_message, last_message,
        lag(last_message) over (partition by session_id order by first_message) as before
    from episodes.exchanges where space_id = %(space)s
) e
where first_message <= before or first_message >> 24 <> session_id or last_message >> 24 <> session_id
order by id

-- name: conversation_threads_that_miscount: a thread of conversations counts its exchanges and spans their times
select t.name as what
from episodes.threads t
left join (
    select thread_id, count(*) as exchanges, min(started_at) as started_at, max(ended_at) as last_at
    from episodes.exchanges where space_id = %(space)s group by thread_id
) e on e.thread_id = t.id
where t.space_id = %(space)s and (t.exchanges <> coalesce(e.exchanges, 0)
    or (e.exchanges > 0 and (t.started_at, t.last_at) is distinct from (e.started_at, e.last_at)))
order by t.id

-- name: episodes_that_miss_messages: an episode is made of all messages of its exchanges, and of no others
select distinct coalesce(e.episode_id, l.episode_id)::text as what
from (
    select x.episode_id, m.id as message_id
    from episodes.exchanges x
    join core.messages m on m.space_id = x.space_id and m.id between x.first_message and x.last_message
        and m.role in ('user', 'assistant', 'tool') and m.content <> ''
    where x.space_id = %(space)s and x.episode_id is not null
) e
full join (select episode_id, message_id from episodes.episode_messages where space_id = %(space)s) l
    on l.episode_id = e.episode_id and l.message_id = e.message_id
where e.message_id is null or l.message_id is null
order by 1

-- name: episodes_that_miscount_their_uses: the latest uses are known one by one, and the last of them is the last
select p.id::text as what
from episodes.stored_episodes p
left join (
    select episode_id, count(*) as uses, max(accessed_at) as last_at
    from episodes.accesses where space_id = %(space)s group by episode_id
) a on a.episode_id = p.id
where p.space_id = %(space)s
    and (p.access_count < coalesce(a.uses, 0) or p.last_accessed_at is distinct from a.last_at)
order by p.id

-- name: conflicts_without_sides: what is open between two beliefs is about the same of the same person
select c.id::text as what
from episodes.conflicts c
join episodes.beliefs b on b.space_id = c.space_id and b.id = c.belief_id
join episodes.beliefs r on r.space_id = c.space_id and r.id = c.rival_id
where c.space_id = %(space)s
    and ((b.person, b.key) <> (r.person, r.key)
        or (c.resolved_at is null and 'superseded' in (b.state, r.state)))
order by c.id

-- name: loops_without_their_message: a loop names the message that opened it among those whose words are in it
select l.id::text as what
from episodes.loops l
where l.space_id = %(space)s
    and (l.message_id >> 24 <> l.session_id
        or not exists (
            select from episodes.loop_messages m
            where m.space_id = l.space_id and m.loop_id = l.id and m.message_id = l.message_id))
order by l.id
