-- name: session: a session, how far it was read, and what is known of it
select s.id, coalesce(d.user_name, s.distinct_id) as user_name, coalesce(d.status, 'active') as status, d.topic_id,
    coalesce(p.mark, 0) as mark,
    (select e.first_message from episodes.exchanges e
        where e.space_id = %(space)s and e.session_id = s.id and e.episode_id is null
            and e.last_message = coalesce(p.mark, 0)) as open_from
from core.sessions s
left join episodes.conversation_details d on d.space_id = s.space_id and d.session_id = s.id
left join episodes.progress p on p.space_id = s.space_id and p.session_id = s.id and p.topic = %(topic)s
where s.space_id = %(space)s and s.name = %(session)s

-- name: messages: messages of a session from one on, with the vectors of their own
select m.id, m.role, m.speaker, m.user_name, m.happened_at, left(m.content, %(characters)s) as content,
    exists (select from core.tool_calls c where c.space_id = %(space)s and c.message_id = m.id) as tools,
    (select halfvec_send(coalesce(v.own, v.context)) from core.recall_vectors v
        where v.space_id = %(space)s and v.generation = %(generation)s::smallint and v.entry_id = m.id) as vector
from core.messages m
where m.space_id = %(space)s and m.id between %(first)s::int8 and %(last)s::int8
    and m.role in ('user', 'assistant', 'tool', 'system') and m.content <> ''
order by m.id
limit %(limit)s

-- name: unread: exchanges of a session that are to be read again, by whoever has not read them
select id, first_message, last_message from episodes.exchanges
where space_id = %(space)s and session_id = %(session)s and id > %(after)s
    and (chunk is null or %(again)s and (chunker, chunker_version) is distinct from (%(chunker)s::text, %(version)s::int4))
order by id
limit %(limit)s

-- name: begin_progress: a session that nobody has read yet
insert into episodes.progress (space_id, session_id, topic, mark) values (%(space)s, %(session)s, %(topic)s, 0)
on conflict (space_id, session_id, topic) do nothing

-- name: hold_progress: how far it was read; held until commit
select mark from episodes.progress
where space_id = %(space)s and session_id = %(session)s and topic = %(topic)s
for update

-- name: advance: it was read so far
update episodes.progress set mark = %(mark)s, skipped = skipped + %(skipped)s, updated_at = %(now)s
where space_id = %(space)s and session_id = %(session)s and topic = %(topic)s

-- name: hold_exchanges: exchanges by their ids and the one that begins with a message; they stay as they are
select first_message, episode_id is null as loose from episodes.exchanges
where space_id = %(space)s and session_id = %(session)s and (id = any(%(ids)s::int8[]) or first_message = %(first)s)
order by id
for no key update

-- name: hold_threads: threads of a channel about some time, and the last before it; held until commit
select id, seq, started_at, last_at from episodes.threads
where space_id = %(space)s and platform = %(platform)s and channel = %(channel)s
    and (last_at >= %(since)s and started_at <= %(until)s
        or seq = (select max(t.seq) from episodes.threads t
            where t.space_id = %(space)s and t.platform = %(platform)s and t.channel = %(channel)s))
order by id
for no key update

-- name: hold_channel: whoever begins a thread of a channel does it alone
select pg_advisory_xact_lock(hashtextextended(%(space)s || '/' || %(platform)s || ':' || %(channel)s, 7310522006))

-- name: thread_ids: numbers for threads that may begin
select nextval('episodes.threads_id_seq') as id from generate_series(1, %(count)s::int4)

-- name: begin_threads: new threads of a channel
insert into episodes.threads (space_id, id, user_name, platform, channel, seq, started_at, last_at, continued_from)
select %(space)s, t.id, t.user_name, %(platform)s, %(channel)s, t.seq, t.started_at, t.last_at, nullif(t.after, 0)
from unnest(%(ids)s::int8[], %(users)s::text[], %(seqs)s::int4[], %(started_at)s::timestamptz[],
    %(last_at)s::timestamptz[], %(after)s::int8[]) as t (id, user_name, seq, started_at, last_at, after)
order by t.id

-- name: end_threads: threads after which another has begun in their channel
update episodes.threads set state = 'ended'
where space_id = %(space)s and id = any(%(threads)s::int8[]) and state = 'open'

-- name: grow_threads: exchanges that threads have more
update episodes.threads t set
    exchanges = t.exchanges + g.exchanges,
    resumed = t.resumed + g.resumed,
    started_at = least(t.started_at, g.started_at),
    last_at = greatest(t.last_at, g.last_at),
    user_name = case when g.several or t.user_name is distinct from g.user_name and t.exchanges > 0 then null
        else coalesce(t.user_name, g.user_name) end
from unnest(%(threads)s::int8[], %(exchanges)s::int4[], %(resumed)s::int4[], %(started_at)s::timestamptz[],
    %(last_at)s::timestamptz[], %(users)s::text[], %(several)s::bool[])
    as g (id, exchanges, resumed, started_at, last_at, user_name, several)
where t.space_id = %(space)s and t.id = any(%(threads)s::int8[]) and t.id = g.id

-- name: hold_topics: the latest topics of people; held until commit
select id, user_name, name, words, halfvec_send(case when generation = %(generation)s::smallint then centroid end) as centroid,
    messages, last_at
from episodes.topics t
where space_id = %(space)s and user_name = any(%(users)s::text[]) and id in (
    select l.id from unnest(%(users)s::text[]) as u (name)
    cross join lateral (
        select o.id from episodes.topics o
        where o.space_id = %(space)s and o.user_name = u.name
        order by o.last_at desc, o.id limit %(limit)s
    ) l)
order by id
for no key update

-- name: hold_people: whoever begins topics of people does it alone; in one order, so that nobody waits in a circle
select pg_advisory_xact_lock(key) from (
    select hashtextextended(%(space)s || '/' || name, 7310522015) as key
    from unnest(%(users)s::text[]) as people (name)
    order by 1
) keys

-- name: topic_names: all names of the topics of people
select user_name, name from episodes.topics where space_id = %(space)s and user_name = any(%(users)s::text[])

-- name: begin_topic: a new topic
insert into episodes.topics (space_id, user_name, name, last_at)
values (%(space)s, %(user)s, %(name)s, %(last_at)s)
returning id

-- name: grow_topics: topics that were talked of
update episodes.topics t set
    messages = g.messages, words = g.words::jsonb, last_at = greatest(t.last_at, g.last_at)
from unnest(%(topics)s::int8[], %(messages)s::int4[], %(words)s::text[], %(last_at)s::timestamptz[])
    as g (id, messages, words, last_at)
where t.space_id = %(space)s and t.id = any(%(topics)s::int8[]) and t.id = g.id

-- name: centre_topics: where topics are now, by the model of the space
update episodes.topics t set centroid = g.centroid, generation = %(generation)s::smallint
from unnest(%(topics)s::int8[], %(centroids)s::halfvec[]) as g (id, centroid)
where t.space_id = %(space)s and t.id = any(%(topics)s::int8[]) and t.id = g.id

-- name: write_exchanges: exchanges, or what has come to them since
insert into episodes.exchanges as e (space_id, session_id, thread_id, topic_id, first_message, last_message, user_name,
    started_at, ended_at, salience, chunk, chunker, chunker_version, chunk_trouble, chunked_at)
select %(space)s, %(session)s, x.thread_id, x.topic_id, x.first_message, x.last_message, x.user_name, x.started_at,
    x.ended_at, x.salience, x.chunk::jsonb, x.chunker, x.version, x.trouble, %(now)s
from unnest(%(threads)s::int8[], %(topics)s::int8[], %(first)s::int8[], %(last)s::int8[], %(users)s::text[],
    %(started_at)s::timestamptz[], %(ended_at)s::timestamptz[], %(salience)s::float4[],
    %(chunks)s::text[], %(chunkers)s::text[], %(versions)s::int4[], %(troubles)s::text[])
    as x (thread_id, topic_id, first_message, last_message, user_name, started_at, ended_at, salience, chunk,
        chunker, version, trouble)
on conflict (space_id, session_id, first_message) do update set
    last_message = excluded.last_message, started_at = excluded.started_at, ended_at = excluded.ended_at,
    salience = excluded.salience, chunk = excluded.chunk, chunker = excluded.chunker,
    chunker_version = excluded.chunker_version, chunk_trouble = excluded.chunk_trouble, chunked_at = excluded.chunked_at

-- name: reread: exchanges that were read again
update episodes.exchanges e set
    chunk = x.chunk::jsonb, chunker = x.chunker, chunker_version = x.version, chunk_trouble = x.trouble,
    chunked_at = %(now)s
from unnest(%(ids)s::int8[], %(chunks)s::text[], %(chunkers)s::text[], %(versions)s::int4[], %(troubles)s::text[])
    as x (id, chunk, chunker, version, trouble)
where e.space_id = %(space)s and e.id = x.id

-- name: write_modes: what replies did; what somebody has set stays
insert into episodes.message_details as d (space_id, message_id, mode)
select %(space)s, x.id, x.mode from unnest(%(ids)s::int8[], %(modes)s::text[]) as x (id, mode)
on conflict (space_id, message_id) do update set mode = coalesce(d.mode, excluded.mode)

-- name: follow: where a conversation is now
insert into episodes.conversation_details as d (space_id, session_id, user_name, thread_id, topic_id)
values (%(space)s, %(session)s, %(user)s, %(thread)s, %(topic)s)
on conflict (space_id, session_id) do update set
    user_name = coalesce(d.user_name, excluded.user_name), thread_id = excluded.thread_id, topic_id = excluded.topic_id
