-- name: erased_since: keyed hashes of persons and sessions that were forgotten as a whole, and of names that were erased everywhere
select distinct h.hash
from core.erasures e
cross join lateral (
    select unnest(e.name_hashes)
    union all
    select coalesce(e.session_hash, e.user_hash) where num_nonnulls(e.session_hash, e.user_hash, e.message_hash) = 1
) h (hash)
where e.space_id = %(space)s and h.hash is not null
    and (%(since)s::timestamptz is null or e.erased_at >= %(since)s::timestamptz)
order by h.hash

-- name: export_moment: so that others see what this transaction sees
select pg_export_snapshot()

-- name: relations: what of a schema has rows or a state
select relname::text from pg_class
where relnamespace = (select oid from pg_namespace where nspname = %(schema)s) and relkind in ('r', 'p', 'S', 'm')
order by relname

-- name: keep_from_erasing: nothing of a space is erased until the transaction ends
select pg_advisory_xact_lock_shared(hashtextextended(%(name)s::text, 7310522003))

-- name: names_key: what these are hashed with
select core.erasure_names_key()

-- name: take_turn: one load at a time into a schema; false where another is at work
select pg_try_advisory_xact_lock(hashtextextended(%(schema_name)s::text, 7310522013))
