-- name: sessions_waiting: sessions with exchanges that belong to no episode, or with an episode to be rewritten
select s.name from core.sessions s
where s.space_id = %(space)s and (%(session)s::text is null or s.name = %(session)s)
    and (exists (
        select from episodes.exchanges e
        where e.space_id = s.space_id and e.session_id = s.id and e.episode_id is null and not e.set_aside
    ) or exists (
        select from episodes.stored_episodes p
        where p.space_id = s.space_id and p.session_id = s.id and p.emptied_at is not null
    ))
order by s.id

-- name: loose: the exchanges of a session that belong to no episode, in their order
select e.id, e.thread_id as thread, e.first_message as first, e.last_message as last, e.user_name as "user",
    e.started_at, e.ended_at, e.chunk, coalesce(t.name, '') as topic
from episodes.exchanges e
left join episodes.topics t on t.space_id = e.space_id and t.id = e.topic_id and episodes.topic_is_for(t.id, e.session_id)
where e.space_id = %(space)s and e.session_id = %(number)s and e.episode_id is null and not e.set_aside
order by e.first_message
limit %(limit)s

-- name: emptied: episodes of a session of which a message was forgotten, once what is left of them was read again
select id from episodes.stored_episodes p
where p.space_id = %(space)s and p.session_id = %(number)s and p.emptied_at is not null
    and not exists (
        select from episodes.exchanges e
        where e.space_id = p.space_id and e.episode_id = p.id and e.chunk is null
    )
order by ended_at, id
limit %(limit)s

-- name: exchanges_of: the exchanges of episodes, in their order
select e.episode_id as episode, e.id, e.thread_id as thread, e.first_message as first, e.last_message as last,
    e.user_name as "user", e.started_at, e.ended_at, e.chunk, coalesce(t.name, '') as topic
from episodes.exchanges e
left join episodes.topics t on t.space_id = e.space_id and t.id = e.topic_id and episodes.topic_is_for(t.id, e.session_id)
where e.space_id = %(space)s and e.episode_id = any(%(episodes)s::uuid[])
order by e.episode_id, e.first_message

-- name: said: the messages of exchanges, in their order, each with its vector where it has one by now
select m.id, m.role, m.speaker, left(m.content, %(characters)s) as text, m.happened_at as at,
    halfvec_send(coalesce(v.own, v.context)) as vector
from unnest(%(first)s::int8[], %(last)s::int8[]) as r (first, last)
join core.messages m on m.space_id = %(space)s and m.id between r.first and r.last
    and m.role in ('user', 'assistant', 'tool') and m.content <> ''
left join core.recall_vectors v on v.space_id = m.space_id and v.generation = %(generation)s and v.entry_id = m.id
order by m.id

-- name: nearest: the cosine of the nearest episode to a vector, of the latest of the person; null where none is
select max(-(v.context <#> %(vector)s)) as cosine
from (
    select entry_id from episodes.stored_episodes
    where space_id = %(space)s and entry_id is not null and user_name is not distinct from %(user)s::text
        and id <> all(%(but)s::uuid[])
    order by ended_at desc
    limit %(limit)s
) e
join core.recall_vectors v on v.space_id = %(space)s and v.generation = %(generation)s and v.entry_id = e.entry_id

-- name: still_loose: of exchanges those that belong to no episode and end where they did; they stay so
select e.id from episodes.exchanges e
join unnest(%(exchanges)s::int8[], %(last)s::int8[]) as x (id, last) using (id)
where e.space_id = %(space)s and e.id = any(%(exchanges)s::int8[]) and e.last_message = x.last
    and e.episode_id is null and not e.set_aside
order by e.id
for no key update of e

-- name: claim: exchanges belong to an episode from now on
update episodes.exchanges set episode_id = %(episode)s
where space_id = %(space)s and id = any(%(exchanges)s::int8[])

-- name: insert_episode: a new episode
insert into episodes.stored_episodes (id, session_id, thread_id, user_name, intent, context, action, emotion, outcome,
    gist, base_salience, topic, exchange_id, salience_factors, open_loops, started_at, ended_at, created_at, updated_at,
    builder, builder_version, builder_trouble, entry_id)
values (%(id)s, %(number)s, %(thread)s, %(user)s, %(intent)s, %(context)s, %(action)s, %(emotion)s, %(outcome)s,
    %(gist)s, %(salience)s, %(topic)s, %(exchange)s, %(salience_factors)s, %(open_loops)s, %(started_at)s, %(ended_at)s,
    %(now)s, %(now)s, %(builder)s, %(builder_version)s, %(trouble)s, %(entry)s)

-- name: link_messages: the messages that an episode is made of
insert into episodes.episode_messages (episode_id, message_id)
select %(episode)s, id from core.messages where space_id = %(space)s and id = any(%(messages)s::int8[])
on conflict do nothing

-- name: hold_episode: an episode that is to be rewritten; it stays as it is until the transaction ends
select entry_id, emptied_at is not null as emptied, deleted_at is not null as deleted
from episodes.stored_episodes where space_id = %(space)s and id = %(id)s
for no key update

-- name: keep_history: how an episode reads now, before it is rewritten
insert into episodes.episode_history (episode_id, version, said, base_salience, builder, builder_version, replaced_at)
select id, version, jsonb_build_object('intent', intent, 'context', context, 'action', action, 'emotion', emotion,
    'outcome', outcome, 'gist', gist, 'salience_factors', salience_factors, 'open_loops', open_loops),
    base_salience, builder, builder_version, %(now)s
from episodes.stored_episodes where space_id = %(space)s and id = %(id)s and emptied_at is null

-- name: rewrite: what an episode says from now on
update episodes.stored_episodes set
    intent = %(intent)s, context = %(context)s, action = %(action)s, emotion = %(emotion)s, outcome = %(outcome)s,
    gist = %(gist)s, base_salience = %(salience)s, topic = %(topic)s, salience_factors = %(salience_factors)s,
    open_loops = %(open_loops)s, loops_by_hand = false, started_at = %(started_at)s, ended_at = %(ended_at)s,
    updated_at = %(now)s, builder = %(builder)s, builder_version = %(builder_version)s, builder_trouble = %(trouble)s, entry_id = %(entry)s,
    user_name = %(user)s, version = version + 1, emptied_at = null, refile = false
where space_id = %(space)s and id = %(id)s

-- name: rebuildable: episodes that another builder would write: of a session, or one, or all; the oldest first
select id from episodes.stored_episodes
where space_id = %(space)s and session_id is not null and deleted_at is null
    and (%(ids)s::uuid[] is null or id = any(%(ids)s::uuid[]))
    and (%(session)s::text is null
        or session_id = (select id from core.sessions where space_id = %(space)s and name = %(session)s))
    and (%(again)s or builder <> %(builder)s or builder_version < %(builder_version)s)
order by ended_at, id
