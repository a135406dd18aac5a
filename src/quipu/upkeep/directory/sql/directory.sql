-- name: databases: those of the directory, and how many spaces each was given
select d.name, d.url, d.draining, d.added_at, d.number, (select count(*) from core.places p where p.database = d.number) as spaces
from core.databases d
order by d.number

-- name: lock: one at a time adds a database
select pg_advisory_xact_lock(7310522017)

-- name: is_known: whether a database is in the directory already, by whatever address
select exists (select from core.databases where identity = %(identity)s)

-- name: knows_spaces: whether any space has a place
select exists (select from core.places)

-- name: add: know one more; null where the name is taken
insert into core.databases (name, url, identity) values (%(name)s, %(url)s, %(identity)s)
on conflict (name) do nothing
returning number

-- name: drain: give a database no more spaces, or some again
update core.databases set draining = %(draining)s where name = %(name)s returning name

-- name: place_of: which database has a space
select core.place_of(%(space)s)

-- name: place: give a space to a database, if none has it
select core.place_space(%(space)s, %(database)s)

-- name: adopt: note the spaces that a database brings; those of them that another has already
with brought as (select unnest(%(spaces)s::text[]) as space),
put as (
    insert into core.places (space, database)
    select space, (select number from core.databases where name = %(database)s) from brought
    on conflict (space) do nothing
    returning space
)
select space from brought except select space from put order by 1

-- name: move: a space is in another database now
insert into core.places (space, database) select %(space)s, number from core.databases where name = %(database)s
on conflict (space) do update set database = excluded.database, placed_at = now()

-- name: hold_to_move: one at a time moves a space, as long as its connection lasts
select pg_try_advisory_lock(hashtextextended(%(space)s, 7310522018))

-- name: drop_place: a space is forgotten, and what opens it
with gone as (delete from core.api_keys where space = %(space)s)
delete from core.places where space = %(space)s

-- name: numbers: spaces of this database by their numbers
select id, name from core.spaces order by id

-- name: lift: spaces made in this database have numbers from here on, so that no other has the same
select setval('core.spaces_id_seq', %(first)s, false)
where not exists (select from core.spaces_id_seq where last_value >= %(first)s)

-- name: bytes: the size of this database
select pg_database_size(current_database())

-- name: identity: what tells this database from all others
select system_identifier::text || '/' || (select oid from pg_database where datname = current_database())
from pg_control_system()

-- name: note_moved: say to whoever looks for a space here that it is in another database
select core.note_moved(%(name)s, %(database)s)

-- name: hold_still: nobody writes to tables of agents until the transaction ends
select tables.hold_still()

-- name: note_arrived: have a space found here by its name
select core.note_arrived(%(name)s, %(number)s)

-- name: jobs_of_space: work that waits or was given up, to be put in another database
select to_jsonb(o) - array['space_id', 'id', 'sent_at', 'started_at'] from core.outbox o where o.space_id = %(space)s order by o.id

-- name: take_jobs: put it
insert into core.outbox (topic, key, payload, session, user_name, attempts, created_at, due_at, dead_at, error)
select topic, key, payload, session, user_name, attempts, created_at, due_at, dead_at, error
from jsonb_populate_recordset(null::core.outbox, %(rows)s)
on conflict (space_id, topic, key) do nothing

-- name: answers_of_space: answers that are kept for requests that are sent again
select to_jsonb(a) - 'space_id' from core.kept_answers a where a.space_id = %(space)s

-- name: take_answers: keep them
insert into core.kept_answers (caller, key_sha256, request_sha256, begun_at, status, headers, body)
select caller, key_sha256, request_sha256, begun_at, status, headers, body
from jsonb_populate_recordset(null::core.kept_answers, %(rows)s)
on conflict do nothing

-- name: names_key: the key by which what was forgotten is known
select names_key from core.erasure_chain

-- name: share_names_key: have a database in which nothing was forgotten yet use the key of another
update core.erasure_chain set names_key = %(names_key)s
where number = 0 and not exists (select from core.tombstones) and not exists (select from core.erasures)

-- name: tombstones: all that was forgotten, as hashes
select coalesce(jsonb_agg(to_jsonb(t)), '[]') from core.tombstones t

-- name: take_tombstones: forget it here, too
insert into core.tombstones (hash, until, noted_at)
select hash, until, noted_at from jsonb_populate_recordset(null::core.tombstones, %(rows)s)
on conflict (hash) do update set
    until = greatest(tombstones.until, excluded.until), noted_at = greatest(tombstones.noted_at, excluded.noted_at)
