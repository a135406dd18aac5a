-- name: columns: columns of a table but the space and those made of others, in their order
select a.attname::text as name, format_type(a.atttypid, null) as type, not a.attnotnull as nullable,
    array_position(k.indkey::int2[], a.attnum) as key_place, t.typcategory = 'A' as is_array, t.typcategory = 'S' as is_text,
    a.attname = 'id' and t.typcategory = 'N' as is_number
from pg_catalog.pg_attribute a
join pg_catalog.pg_type t on t.oid = a.atttypid
left join pg_catalog.pg_index k on k.indrelid = a.attrelid and k.indisprimary
where a.attrelid = %(table)s::text::regclass and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    and a.attname <> 'space_id'
order by a.attnum

-- name: misplaced: messages whose number does not say where they stand
select id from (
    select id, session_id from core.messages where space_id = %(space)s
    union all
    select id, session_id from core.removed_messages where space_id = %(space)s
) m
where case when id > 0 then session_id is distinct from id >> 24
    else session_id is not null or id >= -2305843009213693952 end
order by id
limit 1

-- name: open_threads: the threads of sessions, which go on behind the last message
insert into core.recall_threads (space_id, id, next_position)
select %(space)s, m.id >> 24, max(m.id & 16777215) + 1
from (
    select id from core.messages where space_id = %(space)s and id > 0
    union all
    select id from core.removed_messages where space_id = %(space)s and id > 0
) m
group by m.id >> 24

-- name: leave_messages_unindexed: every message with a text waits to be filed
insert into core.unindexed_messages (space_id, message_id, happened_at)
select %(space)s, id, happened_at from core.messages where space_id = %(space)s and content <> ''

-- name: leave_episodes_unindexed: and every episode that is to be found
update episodes.stored_episodes set refile = true
where space_id = %(space)s and deleted_at is null and emptied_at is null

-- name: leave_space_unindexed: a recall files what it finds of any kind
update core.spaces set
    threads = (select count(*) from core.recall_threads where space_id = %(space)s), languages = %(languages)s,
    generation = %(generation)s, unindexed = %(kinds)s,
    epoch = epoch + 1  -- what was erased before the archive was made has left gaps in it
where id = %(space)s

-- name: number_on: new rows get numbers above those that came
select core.number_on()

-- name: as_application: what follows is read with the rights of the application
select set_config('role', 'quipu_app', true)

-- name: as_person: what follows is read with the rights of a person
select set_config('role', 'quipu_person', true)

-- name: moment: so that others see what this transaction sees
select pg_export_snapshot()

-- name: descriptions: the schemas of the space, and what they are for
select name, description from tables.schemas where space_id = %(space)s

-- name: finished_schemas: schemas in which there is something, but what an archive is bringing
select s.name from tables.schemas s
where s.space_id = %(space)s and s.description is distinct from %(coming)s
    and exists (select from tables.relations r where r.space_id = s.space_id and r.schema_id = s.id)
order by s.name

-- name: describe: what a schema is for
update tables.schemas set description = %(description)s where space_id = %(space)s and name = %(name)s

-- name: erased_since: what was forgotten in the space since a moment: keyed hashes of the names that said what
select session_hash as session, user_hash as person, message_hash as message, cardinality(name_hashes) > 0 as everywhere
from core.erasures
where space_id = %(space)s and of_receipt is null and erased_at >= %(since)s

-- name: space_was_erased: whether a space of this name was forgotten whole since a moment
select core.space_was_erased(%(hash)s, %(since)s)

-- name: names_key: what names that were erased are hashed with
select core.erasure_names_key()

-- name: names_of_hashes: the names in the space, and the ids of memories, that have one of these hashes
with names (what, name) as (
    select 'session', name from core.sessions where space_id = %(space)s
    union
    select 'message', external_id from core.messages where space_id = %(space)s
    union
    select 'message', external_id from core.removed_messages where space_id = %(space)s
    union
    select 'memory', 'memory ' || id from longterm.long_term_memory where space_id = %(space)s
    union
    select 'memory', 'episode ' || id from episodes.stored_episodes where space_id = %(space)s
    union
    select 'memory', 'document ' || place || key from documents.documents where space_id = %(space)s
    union
    select 'memory', 'document ' || array_to_string(parts[:number], E'\x1f') || E'\x1f'
    from documents.documents
    cross join string_to_array(place, E'\x1f') parts
    cross join generate_series(1, cardinality(parts) - 1) number
    where space_id = %(space)s
    union
    select 'user', name from (
        select user_name as name from core.messages where space_id = %(space)s
        union
        select speaker from core.messages where space_id = %(space)s
        union
        select user_name from core.removed_messages where space_id = %(space)s
        union
        select distinct_id from core.sessions where space_id = %(space)s
        union
        select belongs_to from core.sessions where space_id = %(space)s
        union
        select user_name from core.standing_rules where space_id = %(space)s
        union
        select name from core.aliases where space_id = %(space)s
        union
        select distinct_id from ledger.chat_memory_events where space_id = %(space)s
        union
        select distinct_id from ledger.chat_user_preferences where space_id = %(space)s
        union
        select user_name from episodes.stored_episodes where space_id = %(space)s
        union
        select user_name from episodes.beliefs where space_id = %(space)s
        union
        select user_name from longterm.long_term_memory where space_id = %(space)s
        union
        select user_name from documents.documents where space_id = %(space)s
        union
        select user_name from documents.versions where space_id = %(space)s
    ) people
    where name <> ''
)
select h.hash, n.what, n.name
from names n
cross join lateral (
    select encode(sha256(%(secret)s::bytea || sha256(convert_to(%(of)s, 'UTF8') || '\x00'::bytea || convert_to(n.name, 'UTF8'))),
        'hex') as hash
) h
where h.hash = any(%(hashes)s::text[])
order by n.what, n.name

-- name: vectors_after: what entries mean by themselves, by the model of the space, in the order of their ids
select entry_id, halfvec_send(coalesce(own, context)) as own
from core.recall_vectors
where space_id = %(space)s and generation = %(generation)s and entry_id > %(after)s
order by entry_id
limit %(limit)s
