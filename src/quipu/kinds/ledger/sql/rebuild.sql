-- name: happened: all events of a space, key by key, in their order: what must be known to tell what stands
select memory_scope as scope, case memory_scope when 'session' then session_id::text else distinct_id end as owner,
       memory_namespace as namespace, memory_key as key, id, event_type, value_source as source, created_at, expires_at
from ledger.chat_memory_events
where space_id = %(space)s
order by scope, owner, namespace, key, id

-- name: session_rows: the session projection as it is
select to_jsonb(m)::text from ledger.chat_session_memory m where m.space_id = %(space)s

-- name: preference_rows: the preferences as they are
select to_jsonb(p)::text from ledger.chat_user_preferences p where p.space_id = %(space)s

-- name: begin: what is dropped from here on is made again: its end is no event
select set_config('quipu.rebuilding', 'on', true)

-- name: drop_session_rows: empty the session projection
delete from ledger.chat_session_memory where space_id = %(space)s

-- name: drop_preference_rows: empty the preferences
delete from ledger.chat_user_preferences where space_id = %(space)s

-- name: make_session_rows: fill the session projection from the events that stand and those that first set them
insert into ledger.chat_session_memory (space_id, id, session_id, memory_namespace, memory_key, value_json, value_source,
    assumed, confidence_cap, source_turn_index, source_event_id, first_set_at, last_updated_at, expires_at, created_at,
    updated_at)
select %(space)s, f.id, e.session_id, e.memory_namespace, e.memory_key, e.new_value_json, e.value_source, e.assumed,
       e.confidence_cap, e.turn_index, e.id, f.created_at, e.created_at, e.expires_at, f.created_at, e.created_at
from unnest(%(standing)s::int8[], %(first)s::int8[]) as t (standing, first)
join ledger.chat_memory_events e on e.space_id = %(space)s and e.id = t.standing
join ledger.chat_memory_events f on f.space_id = %(space)s and f.id = t.first

-- name: make_preference_rows: fill the preferences likewise
insert into ledger.chat_user_preferences (space_id, id, distinct_id, preference_namespace, preference_key, value_json,
    value_source, last_session_id, first_set_at, last_updated_at, expires_at, created_at, updated_at, assumed,
    confidence_cap, source_event_id)
select %(space)s, f.id, e.distinct_id, t.namespace, t.key, e.new_value_json,
       case e.value_source when 'assumed' then 'default' else e.value_source end, e.session_id, f.created_at, e.created_at,
       e.expires_at, f.created_at, e.created_at, e.assumed, e.confidence_cap, e.id
from unnest(%(standing)s::int8[], %(first)s::int8[], %(namespaces)s::text[], %(keys)s::text[])
    as t (standing, first, namespace, key)
join ledger.chat_memory_events e on e.space_id = %(space)s and e.id = t.standing
join ledger.chat_memory_events f on f.space_id = %(space)s and f.id = t.first
