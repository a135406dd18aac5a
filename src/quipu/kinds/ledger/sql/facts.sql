-- name: append: write an event, what stands after it and its projection; or say why not
select problem, detail, event_id, event_type, created_at, expires_at, distinct_id, turn_index, stands, before_id, before_value,
       before_source, before_assumed, before_cap, before_turn, before_at, before_expires_at
from ledger.append(
    %(space)s::text, %(act)s::text, %(scope)s::text, %(session)s::text, %(person)s::text, %(namespace)s::text, %(key)s::text,
    %(value)s::jsonb, %(source)s::text, %(assumed)s::bool, %(cap)s::text, %(turn)s::int4, %(at)s::timestamptz,
    %(expires)s::timestamptz, %(renewal)s::interval, %(correlation)s::text, %(actor)s::text, %(reason)s::text,
    %(latest)s::int8, %(shapes)s::int8)

-- name: session: a session by the name that the caller gave
select uid, coalesce(distinct_id, belongs_to) as owner,
       case when coalesce(distinct_id, belongs_to) = '' then ledger.users_of(s) end as users, messages
from core.sessions s where space_id = %(space)s and name = %(name)s

-- name: give_session: make a session a person's, where it is nobody's
update core.sessions set distinct_id = %(person)s
where space_id = %(space)s and name = %(name)s and distinct_id is null

-- name: write_details: what the ledger is told of a session; what is not told stays as it was
insert into ledger.session_details as d (space_id, session_id, started_at, model, prompt_version, rule_version, card_type,
    location_count, trace_id, meta)
values (%(space)s, %(session)s, %(started_at)s, coalesce(%(model)s::text, 'unknown'),
    coalesce(%(prompt_version)s::text, 'unknown'), coalesce(%(rule_version)s::text, 'unknown'),
    coalesce(%(card_type)s::text, 'none'), coalesce(%(location_count)s::int2, 0::int2), %(trace_id)s::text,
    coalesce(%(meta)s::jsonb, '{}'))
on conflict (space_id, session_id) do update set
    model = coalesce(%(model)s::text, d.model),
    prompt_version = coalesce(%(prompt_version)s::text, d.prompt_version),
    rule_version = coalesce(%(rule_version)s::text, d.rule_version),
    card_type = coalesce(%(card_type)s::text, d.card_type),
    location_count = coalesce(%(location_count)s::int2, d.location_count),
    trace_id = coalesce(%(trace_id)s::text, d.trace_id),
    meta = d.meta || coalesce(%(meta)s::jsonb, '{}')

-- name: end_details: when a session ended, and how
insert into ledger.session_details as d (space_id, session_id, ended_at, status)
values (%(space)s, %(session)s, %(ended_at)s, %(status)s)
on conflict (space_id, session_id) do update set ended_at = excluded.ended_at, status = excluded.status

-- name: values: what stands in a session and for a person
select m.memory_key as key, m.memory_namespace as namespace, 'session' as scope, m.value_json as value,
       m.value_source as source, m.assumed, m.confidence_cap, s.name as session, s.distinct_id as user,
       m.source_turn_index as turn, m.source_event_id as event_id, m.last_updated_at as updated_at, m.expires_at
from ledger.chat_session_memory m
cross join lateral (
    select name, coalesce(distinct_id, nullif(belongs_to, '')) as distinct_id
    from core.sessions where space_id = %(space)s and uid = m.session_id offset 0
) s
where m.space_id = %(space)s
    and m.session_id = %(session)s::uuid
    and (m.expires_at is null or m.expires_at > %(at)s::timestamptz)
union all
select coalesce(e.memory_key, p.preference_key), coalesce(e.memory_namespace, 'preference'), 'cross_session', p.value_json,
       coalesce(e.value_source, p.value_source), p.assumed, p.confidence_cap, s.name, p.distinct_id,
       coalesce(e.turn_index, 0), p.source_event_id, p.last_updated_at, p.expires_at
from ledger.chat_user_preferences p
left join lateral (
    select memory_key, memory_namespace, value_source, turn_index from ledger.chat_memory_events
    where space_id = %(space)s and id = p.source_event_id
    offset 0
) e on true
left join lateral (
    select name from core.sessions where space_id = %(space)s and uid = p.last_session_id offset 0
) s on true
where p.space_id = %(space)s
    and p.distinct_id = %(person)s::text
    and (p.expires_at is null or p.expires_at > %(at)s::timestamptz)
order by key, scope, session, "user"

-- name: values_of_space: what stands in the whole space, or what of it is only assumed, by key
--
-- They are chosen by their keys first; what else is told of them is looked up for these alone.
with chosen as materialized (
    select 'session' as scope, m.id, m.memory_key as key
    from ledger.chat_session_memory m
    where m.space_id = %(space)s and (m.assumed or not %(assumed)s)
        and (%(key)s::text is null or m.memory_key = %(key)s)
        and (m.expires_at is null or m.expires_at > %(now)s::timestamptz)
    union all
    select 'cross_session', p.id, coalesce(e.memory_key, p.preference_key)
    from ledger.chat_user_preferences p
    left join lateral (
        select memory_key from ledger.chat_memory_events where space_id = %(space)s and id = p.source_event_id offset 0
    ) e on true
    where p.space_id = %(space)s and (p.assumed or not %(assumed)s)
        and (%(key)s::text is null or coalesce(e.memory_key, p.preference_key) = %(key)s)
        and (p.expires_at is null or p.expires_at > %(now)s::timestamptz)
    order by key, scope, id
    limit %(limit)s::int8 offset %(offset)s::int8
)
select m.memory_key as key, m.memory_namespace as namespace, 'session' as scope, m.value_json as value,
       m.value_source as source, m.assumed, m.confidence_cap, s.name as session, s.distinct_id as user,
       m.source_turn_index as turn, m.source_event_id as event_id, m.last_updated_at as updated_at, m.expires_at
from chosen
join ledger.chat_session_memory m on m.space_id = %(space)s and m.id = chosen.id and chosen.scope = 'session'
cross join lateral (
    select name, coalesce(distinct_id, nullif(belongs_to, '')) as distinct_id
    from core.sessions where space_id = %(space)s and uid = m.session_id offset 0
) s
union all
select chosen.key, coalesce(e.memory_namespace, 'preference'), 'cross_session', p.value_json,
       coalesce(e.value_source, p.value_source), p.assumed, p.confidence_cap, s.name, p.distinct_id,
       coalesce(e.turn_index, 0), p.source_event_id, p.last_updated_at, p.expires_at
from chosen
join ledger.chat_user_preferences p on p.space_id = %(space)s and p.id = chosen.id and chosen.scope = 'cross_session'
left join lateral (
    select memory_namespace, value_source, turn_index from ledger.chat_memory_events
    where space_id = %(space)s and id = p.source_event_id
    offset 0
) e on true
left join lateral (
    select name from core.sessions where space_id = %(space)s and uid = p.last_session_id offset 0
) s on true
order by key, scope, session, "user"

-- name: believed: what stood at a moment in a session and for a person
--
-- From key to key by the index, in each straight to its last event before the moment, and from there to the
-- event whose value stood then: as many steps as there are keys, however long their histories are.
with recursive session_keys as (
    (select memory_namespace, memory_key from ledger.chat_memory_events
     where space_id = %(space)s and memory_scope = 'session' and session_id = %(session)s::uuid
     order by memory_namespace, memory_key limit 1)
    union all
    select n.memory_namespace, n.memory_key
    from session_keys k
    cross join lateral (
        select memory_namespace, memory_key from ledger.chat_memory_events
        where space_id = %(space)s and memory_scope = 'session' and session_id = %(session)s::uuid
            and (memory_namespace, memory_key) > (k.memory_namespace, k.memory_key)
        order by memory_namespace, memory_key limit 1
    ) n
), person_keys as (
    (select memory_namespace, memory_key from ledger.chat_memory_events
     where space_id = %(space)s and memory_scope = 'cross_session' and distinct_id = %(person)s::text
     order by memory_namespace, memory_key limit 1)
    union all
    select n.memory_namespace, n.memory_key
    from person_keys k
    cross join lateral (
        select memory_namespace, memory_key from ledger.chat_memory_events
        where space_id = %(space)s and memory_scope = 'cross_session' and distinct_id = %(person)s::text
            and (memory_namespace, memory_key) > (k.memory_namespace, k.memory_key)
        order by memory_namespace, memory_key limit 1
    ) n
), latest as (
    select l.standing_event_id as id
    from session_keys k
    cross join lateral (
        select standing_event_id from ledger.chat_memory_events
        where space_id = %(space)s and memory_scope = 'session' and session_id = %(session)s::uuid
            and memory_namespace = k.memory_namespace and memory_key = k.memory_key
            and created_at <= %(at)s::timestamptz
        order by created_at desc, id desc limit 1
    ) l
    union all
    select l.standing_event_id
    from person_keys k
    cross join lateral (
        select standing_event_id from ledger.chat_memory_events
        where space_id = %(space)s and memory_scope = 'cross_session' and distinct_id = %(person)s::text
            and memory_namespace = k.memory_namespace and memory_key = k.memory_key
            and created_at <= %(at)s::timestamptz
        order by created_at desc, id desc limit 1
    ) l
)
select e.memory_key as key, e.memory_namespace as namespace, e.memory_scope as scope, e.new_value_json as value,
       e.value_source as source, e.assumed, e.confidence_cap, s.name as session, e.distinct_id as user,
       e.turn_index as turn, e.id as event_id, e.created_at as updated_at, e.expires_at
from latest l
cross join lateral (
    select * from ledger.chat_memory_events where space_id = %(space)s and id = l.id offset 0
) e
left join lateral (
    select name from core.sessions where space_id = %(space)s and uid = e.session_id offset 0
) s on true
where e.expires_at is null or e.expires_at > %(at)s::timestamptz
order by key, scope

-- name: seen_key: the namespace of a key by its events, and the scope where all of them have the same
select memory_namespace, case when min(memory_scope) = max(memory_scope) then min(memory_scope) end
from ledger.chat_memory_events
where space_id = %(space)s and memory_namespace = any(%(namespaces)s::text[]) and memory_key = %(key)s
group by memory_namespace
order by max(id) desc
limit 1

-- name: history: every event of a key in a session and for a person, oldest first
select e.id, e.event_type, e.memory_scope as scope, e.memory_namespace as namespace, e.memory_key as key,
       e.old_value_json as old, e.new_value_json as new, e.value_source as source, e.assumed, e.confidence_cap,
       s.name as session, e.distinct_id as user, e.turn_index as turn, e.created_at, e.expires_at, e.correlation_id,
       e.actor, e.reason, e.standing_event_id
from (
    select * from ledger.chat_memory_events
    where space_id = %(space)s and memory_scope = 'session' and session_id = %(session)s::uuid
        and memory_namespace in (%(namespace)s, 'other') and memory_key = %(key)s
    union all
    select * from ledger.chat_memory_events
    where space_id = %(space)s and memory_scope = 'cross_session' and distinct_id = %(person)s::text
        and memory_namespace in (%(namespace)s, 'other') and memory_key = %(key)s
) e
left join lateral (
    select name from core.sessions where space_id = %(space)s and uid = e.session_id offset 0
) s on true
order by e.id

-- name: history_of: every event of the key of an event, oldest first
with o as materialized (
    select * from ledger.chat_memory_events where space_id = %(space)s and id = %(id)s
)
select e.id, e.event_type, e.memory_scope as scope, e.memory_namespace as namespace, e.memory_key as key,
       e.old_value_json as old, e.new_value_json as new, e.value_source as source, e.assumed, e.confidence_cap,
       s.name as session, e.distinct_id as user, e.turn_index as turn, e.created_at, e.expires_at, e.correlation_id,
       e.actor, e.reason, e.standing_event_id
from o
cross join lateral (
    select * from ledger.chat_memory_events
    where space_id = %(space)s and memory_scope = 'session' and session_id = o.session_id
        and memory_namespace = o.memory_namespace and memory_key = o.memory_key and o.memory_scope = 'session'
    union all
    select * from ledger.chat_memory_events
    where space_id = %(space)s and memory_scope = 'cross_session' and distinct_id = o.distinct_id
        and memory_namespace = o.memory_namespace and memory_key = o.memory_key and o.memory_scope = 'cross_session'
) e
left join lateral (
    select name from core.sessions where space_id = %(space)s and uid = e.session_id offset 0
) s on true
order by e.id

-- name: events: what was written in a space, the latest first, before an event
select e.id, e.event_type, e.memory_scope as scope, e.memory_namespace as namespace, e.memory_key as key,
       e.old_value_json as old, e.new_value_json as new, e.value_source as source, e.assumed, e.confidence_cap,
       s.name as session, e.distinct_id as user, e.turn_index as turn, e.created_at, e.expires_at, e.correlation_id,
       e.actor, e.reason, e.standing_event_id
from (
    select * from ledger.chat_memory_events
    where space_id = %(space)s and id < %(before)s::int8
    order by id desc limit %(limit)s
) e
left join lateral (
    select name from core.sessions where space_id = %(space)s and uid = e.session_id offset 0
) s on true
order by e.id desc

-- name: events_of: what was written in a session and of a person, the latest first, before an event
select e.id, e.event_type, e.memory_scope as scope, e.memory_namespace as namespace, e.memory_key as key,
       e.old_value_json as old, e.new_value_json as new, e.value_source as source, e.assumed, e.confidence_cap,
       s.name as session, e.distinct_id as user, e.turn_index as turn, e.created_at, e.expires_at, e.correlation_id,
       e.actor, e.reason, e.standing_event_id
from (
    (select * from ledger.chat_memory_events
     where space_id = %(space)s and memory_scope = 'session' and session_id = %(session)s::uuid and id < %(before)s::int8
     order by id desc limit %(limit)s)
    union all
    (select * from ledger.chat_memory_events
     where space_id = %(space)s and memory_scope = 'cross_session' and distinct_id = %(person)s::text
        and id < %(before)s::int8
     order by id desc limit %(limit)s)
) e
left join lateral (
    select name from core.sessions where space_id = %(space)s and uid = e.session_id offset 0
) s on true
order by e.id desc
limit %(limit)s
