-- name: lives: what happened to the episodes of entries, and what else counts when they answer a question
select e.entry_id as entry, e.base_salience as base, e.ended_at as happened_at, e.access_count as uses,
    array(select a.accessed_at from episodes.accesses a
        where a.space_id = e.space_id and a.episode_id = e.id order by a.accessed_at) as recent,
    e.topic, coalesce(e.intent ->> 'type', '') as intent,
    (select r.terms from core.recall_entries r where r.space_id = e.space_id and r.id = e.entry_id) as terms
from episodes.stored_episodes e
where e.space_id = %(space)s and e.entry_id = any(%(entries)s::int8[])

-- name: cited: episodes that were found, by the id of their entry
select e.entry_id as id, e.gist, e.outcome, e.started_at as happened_at, e.created_at as recorded_at, e.id::text as said,
    s.name as session, e.user_name as "user"
from episodes.stored_episodes e
left join core.sessions s on s.space_id = e.space_id and s.id = e.session_id
where e.space_id = %(space)s and e.entry_id = any(%(ids)s::int8[])

-- name: episodes: episodes with what happened to them, by ids or entries
select e.id, s.name as session, e.user_name as "user", e.topic, e.gist, e.action, e.outcome, e.intent, e.context,
    e.emotion, e.salience_factors,
    episodes.open_loops_of(e.id, e.open_loops, e.loops_by_hand) as open_loops, e.base_salience, e.started_at,
    e.ended_at as happened_at, e.created_at, e.updated_at, e.deleted_at, e.last_accessed_at as used_at, e.access_count as uses, e.builder,
    e.builder_version, e.builder_trouble as trouble, e.version, e.emptied_at is not null as emptied, e.entry_id,
    (select count(*) from episodes.episode_messages l
        where l.space_id = e.space_id and l.episode_id = e.id)::integer as messages,
    array(select a.accessed_at from episodes.accesses a
        where a.space_id = e.space_id and a.episode_id = e.id order by a.accessed_at) as recent
from episodes.stored_episodes e
left join lateral (
    select name from core.sessions where space_id = %(space)s and id = e.session_id offset 0
) s on true
where e.space_id = %(space)s and (e.id = any(%(ids)s::uuid[]) or e.entry_id = any(%(entries)s::int8[]))

-- name: listed: which episodes there are, the latest or those with the most of something first
--
-- By time no value is worked out to sort by, so the index on it has the order. The others are worked out for all;
-- behind %(after)s comes what has less than that episode has now, be it of the list or not any more.
with valued as not materialized (
    select e.id, e.ended_at, case %(order)s::text
        when 'salience' then episodes.raised(e.base_salience, e.access_count, %(boost)s::float8)
        when 'freshness' then episodes.fresh(episodes.raised(e.base_salience, e.access_count, %(boost)s::float8),
            episodes.hours(greatest(e.ended_at, e.last_accessed_at), %(now)s::timestamptz), %(decay)s::float8)
        when 'activation' then case when e.access_count > u.times
            then episodes.activated(u.known, e.access_count - u.times + 1, greatest(u.last, t.age), u.last)
            else episodes.activated(coalesce(u.known, 0) + power(t.age, -0.5), 0, t.age, t.age) end
        end as most
    from episodes.stored_episodes e
    left join (
        select episode_id, count(*) as times, sum(power(age, -0.5)) as known, max(age) as last
        from episodes.accesses
        cross join lateral (
            select greatest(episodes.hours(accessed_at, %(now)s::timestamptz), 1::float8 / 60) as age offset 0
        ) t
        where space_id = %(space)s
        group by episode_id
    ) u on u.episode_id = e.id
    cross join lateral (
        select greatest(episodes.hours(e.ended_at, %(now)s::timestamptz), 1::float8 / 60) as age
    ) t
    where e.space_id = %(space)s
        and (e.id = %(after)s::uuid or (
            (%(session)s::text is null or e.session_id = (
                select n.id from core.sessions n where n.space_id = %(space)s and n.name = %(session)s))
            and (%(user)s::text is null or e.user_name = %(user)s)
            and (%(topic)s::text is null or e.topic = %(topic)s)
            and (%(since)s::timestamptz is null or e.ended_at >= %(since)s)
            and (%(until)s::timestamptz is null or e.ended_at < %(until)s)
            and (%(state)s = 'all' or (e.deleted_at is null) = (%(state)s = 'live'))))
)
select e.id from valued e
where %(after)s::uuid is null
    or (%(order)s = 'recent' and (e.ended_at, e.id) < (%(after_ended)s::timestamptz, %(after)s))
    or (%(order)s <> 'recent' and (e.most, e.ended_at, e.id) < (
        select p.most, p.ended_at, p.id from valued p where p.id = %(after)s))
order by e.most desc, e.ended_at desc, e.id desc
limit %(limit)s offset %(offset)s

-- name: ids_like: episodes whose id begins so
select id from episodes.stored_episodes where space_id = %(space)s and id::text like %(prefix)s order by id limit 2

-- name: messages_of: the messages that an episode is made of
select m.external_id as id, m.role, m.speaker, m.content, m.happened_at
from episodes.episode_messages l
join core.messages m on m.space_id = l.space_id and m.id = l.message_id
where l.space_id = %(space)s and l.episode_id = %(id)s
order by m.id

-- name: versions: how an episode read before, the latest first
select version, said ->> 'gist' as gist, said, base_salience as salience, builder, builder_version, replaced_at
from episodes.episode_history
where space_id = %(space)s and episode_id = %(id)s
order by version desc

-- name: last_uses: when episodes were used last; they stay as they are until the transaction ends
select id, last_accessed_at as used_at, access_count as uses from episodes.stored_episodes
where space_id = %(space)s and (id = any(%(ids)s::uuid[]) or entry_id = any(%(entries)s::int8[])) and deleted_at is null
order by id
for update

-- name: lately: entries of the episodes that were used last, the latest first
select entry_id, last_accessed_at from episodes.stored_episodes
where space_id = %(space)s and last_accessed_at is not null and entry_id is not null
order by last_accessed_at desc limit %(limit)s

-- name: note_use: an episode was used
select episodes.note_use(%(id)s, %(uses)s, %(now)s)

-- name: archive: an episode is out of recall from now on
update episodes.stored_episodes set deleted_at = %(now)s, entry_id = null, refile = false
where space_id = %(space)s and id = %(id)s

-- name: bring_back: an episode is found again
update episodes.stored_episodes set deleted_at = null, entry_id = %(entry)s, refile = false
where space_id = %(space)s and id = %(id)s

-- name: stats: how many episodes there are, and how they are
select count(*) filter (where deleted_at is null)::integer as episodes,
    count(*) filter (where deleted_at is not null)::integer as archived,
    count(*) filter (where emptied_at is not null)::integer as emptied,
    count(*) filter (where builder_trouble is not null)::integer as troubled,
    count(*) filter (where deleted_at is null and case
        when loops_by_hand or o.any_open is null then jsonb_array_length(open_loops) > 0
        else o.any_open end)::integer as unresolved,
    coalesce(sum(access_count), 0)::bigint as uses,
    (select count(*) from episodes.exchanges x where x.space_id = %(space)s)::integer as exchanges,
    (select count(*) from episodes.exchanges x
        where x.space_id = %(space)s and x.episode_id is null and not x.set_aside)::integer as waiting,
    coalesce(avg(s.salience) filter (where deleted_at is null), 0)::float8 as salience,
    coalesce(avg(episodes.fresh(s.salience, episodes.hours(greatest(ended_at, last_accessed_at), %(now)s), %(decay)s::float8))
        filter (where deleted_at is null), 0)::float8 as freshness,
    min(started_at) as first_at,
    max(ended_at) as last_at
from episodes.stored_episodes e
left join (
    select m.episode_id, bool_or(l.state = 'open') as any_open
    from episodes.episode_messages m
    join episodes.loops l on l.space_id = m.space_id and l.message_id = m.message_id
    where m.space_id = %(space)s
    group by m.episode_id
) o on o.episode_id = e.id
cross join lateral (select episodes.raised(e.base_salience, e.access_count, %(boost)s::float8) as salience offset 0) s
where e.space_id = %(space)s

-- name: take_up: a message that is put back belongs to the episode of the exchange in which it stands
insert into episodes.episode_messages (episode_id, message_id)
select x.episode_id, m.id
from core.messages m
join episodes.exchanges x on x.space_id = m.space_id and x.session_id = m.session_id
    and m.id between x.first_message and x.last_message
where m.space_id = %(space)s and m.id = %(message)s and x.episode_id is not null
    and m.role in ('user', 'assistant', 'tool') and m.content <> ''
on conflict do nothing
