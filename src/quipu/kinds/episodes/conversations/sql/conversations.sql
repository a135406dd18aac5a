-- name: conversations: conversations, the latest first
--
-- They are chosen first, by what sessions and what was told of them say; the rest is looked up for these alone.
with chosen as materialized (
    select s.id
    from core.sessions s
    left join episodes.conversation_details d on d.space_id = %(space)s and d.session_id = s.id
    where s.space_id = %(space)s
        and (%(session)s::text is null or s.name = %(session)s)
        and (%(user)s::text is null or coalesce(d.user_name, s.distinct_id) = %(user)s)
        and (%(status)s::text is null or coalesce(d.status, 'active') = %(status)s)
        and (%(topic)s::text is null or %(topic)s = coalesce(d.topic, (
            select t.name from episodes.topics t where t.space_id = %(space)s and t.id = d.topic_id), ''))
    order by greatest(d.updated_at, coalesce(s.last_at, s.created_at)) desc, s.name
    limit %(limit)s offset %(offset)s
)
select c.id::text as id, c.session, c.user_id as "user", c.topic,
    coalesce(c.title, (select left(regexp_replace(m.content, '\s+', ' ', 'g'), 80) from core.messages m
        where m.space_id = %(space)s and m.id >= c.session_number << 24 and m.id < (c.session_number + 1) << 24
            and m.role = 'user'
        order by m.id limit 1)) as title,
    c.status, c.thread_id as thread, c.messages, c.created_at, c.updated_at
from chosen
join episodes.conversations c on c.space_id = %(space)s and c.session_number = chosen.id
order by c.updated_at desc, c.session

-- name: utterances: the messages of a conversation, oldest first
select m.id::text as id, m.external_id as message, m.role, r.speaker, m.content, m.mode, m.metadata, m.created_at
from core.sessions s
join core.messages r on r.space_id = %(space)s and r.id >= s.id << 24 and r.id < (s.id + 1) << 24
join episodes.messages m on m.space_id = %(space)s and m.message_number = r.id
where s.space_id = %(space)s and s.name = %(session)s and r.id > %(after)s
order by r.id
limit %(limit)s

-- name: exchanges: the exchanges of a conversation, oldest first
select e.id, t.name as thread, p.name as topic, e.user_name as "user", e.started_at, e.ended_at, e.salience, e.chunk,
    e.chunker, e.chunk_trouble as trouble, e.episode_id::text as episode,
    array(select m.external_id from core.messages m
        where m.space_id = %(space)s and m.id between e.first_message and e.last_message
            and m.role in ('user', 'assistant', 'tool') and m.content <> ''
        order by m.id) as messages
from core.sessions s
join episodes.exchanges e on e.space_id = %(space)s and e.session_id = s.id
left join episodes.threads t on t.space_id = %(space)s and t.id = e.thread_id
left join episodes.topics p on p.space_id = %(space)s and p.id = e.topic_id
where s.space_id = %(space)s and s.name = %(session)s
order by e.first_message
limit %(limit)s

-- name: change: set what is known of a conversation
insert into episodes.conversation_details as d (space_id, session_id, topic, title, status, updated_at)
select %(space)s, s.id, %(topic)s::text, %(title)s::text, coalesce(%(status)s::text, 'active'), %(now)s
from core.sessions s where s.space_id = %(space)s and s.name = %(session)s
on conflict (space_id, session_id) do update set
    topic = coalesce(excluded.topic, d.topic), title = coalesce(excluded.title, d.title),
    status = coalesce(%(status)s::text, d.status), updated_at = excluded.updated_at
returning session_id

-- name: list_threads: threads, the latest first
select t.id, t.name, t.user_name as "user", t.platform, t.channel, t.seq, t.state, t.started_at, t.last_at, t.exchanges, t.resumed,
    f.name as continued_from
from episodes.threads t
left join episodes.threads f on f.space_id = %(space)s and f.id = t.continued_from
where t.space_id = %(space)s
    and (%(user)s::text is null or t.user_name = %(user)s)
    and (%(channel)s::text is null or t.channel = %(channel)s and t.platform = %(platform)s)
order by t.last_at desc, t.id desc
limit %(limit)s

-- name: list_topics: topics, the latest first
select id, name, nullif(user_name, '') as "user", messages,
    array(select w.key from jsonb_each_text(words) w order by w.value::int desc, w.key limit 8) as words, last_at
from episodes.topics
where space_id = %(space)s and (%(user)s::text is null or user_name = %(user)s)
order by last_at desc, id desc
limit %(limit)s

-- name: sessions_read: sessions of which exchanges were read by others than some chunker
select distinct s.name from episodes.exchanges e
join core.sessions s on s.space_id = %(space)s and s.id = e.session_id
where e.space_id = %(space)s and (%(session)s::text is null or s.name = %(session)s)
order by s.name
