-- name: enter: make the transaction see one space
select id, name, languages, entries, tokens, mixed_tokens, threads, version, epoch, generation, unindexed from core.enter(%(name)s)

-- name: become: take the rights of a role and our settings for this transaction, on a connection that others share
select set_config('role', %(role)s, true), set_config('statement_timeout', %(milliseconds)s::text, true),
    set_config('jit', 'off', true), set_config('plan_cache_mode', 'force_generic_plan', true),
    set_config('max_parallel_workers_per_gather', '0', true)

-- name: act_for: make the transaction see one person and no other; heeded by the role quipu_person alone
select set_config('quipu.person', %(person)s, true)

-- name: wait_at_most: no statement of the transaction waits longer for what others hold; 0: without end
select set_config('lock_timeout', %(milliseconds)s::text, true)

-- name: hold_to_write: any number write to a space at once; nothing of it is erased until they are through
select pg_advisory_xact_lock_shared(hashtextextended(%(name)s, 7310522003))

-- name: hold_to_erase: nobody writes to the space until the end of the transaction
select pg_advisory_xact_lock(hashtextextended(%(name)s, 7310522003))

-- name: enter_to_read: the same for a search
--
-- A search joins sets whose sizes no planner can know beforehand; taken for small, they would be joined row
-- by row. So hash joins are the rule in a reading transaction, and look-ups by key are written as lateral.
select id, name, languages, entries, tokens, mixed_tokens, threads, version, epoch, generation, unindexed
from core.enter(%(name)s)
where set_config('enable_nestloop', 'off', true) is not null

-- name: enter_to_look: the same for a list, whose queries are planned for the filters that were given
select id, name, languages, entries, tokens, mixed_tokens, threads, version, epoch, generation, unindexed
from core.enter(%(name)s)
where set_config('plan_cache_mode', 'force_custom_plan', true) is not null

-- name: stored_settings: what is set for all, and after it what is set for the space of the transaction
select name, value, 'database' as origin from core.settings
union all
select name, value, 'space' from core.space_settings where space_id = (select core.current_space())
order by 3, 1

-- name: blocked: whether somebody holds, or waits for, a table of ours alone, so that nobody can read it
select exists (
    select
    from pg_locks l
    join pg_class c on c.oid = l.relation
    where l.locktype = 'relation' and l.mode = 'AccessExclusiveLock' and l.pid <> pg_backend_pid()
        and l.database = (select oid from pg_database where datname = current_database())
        and c.relkind in ('r', 'p') and has_table_privilege(c.oid, 'select')
)

-- name: take_time: no statement of the transaction is ended for taking long
select set_config('statement_timeout', '0', true)

-- name: terminate: end what will not end by itself
select pg_terminate_backend(%(pid)s::integer)

-- name: mark_key: the secret of the space of the transaction, by which its marks are recognised
select mark_key from core.spaces where id = (select core.current_space())

-- name: create_space: make the space of that name if it is not there
insert into core.spaces (name) values (%(name)s) on conflict (name) do nothing

-- name: moved_to: the database to which a space went from here
select core.moved_to(%(name)s)

-- name: create_numbered: make a space with the number that it has elsewhere
insert into core.spaces (id, name) overriding system value values (%(number)s, %(name)s)

-- name: all_spaces: every space with its counters; only the owner of the database sees them all
select id, name, languages, entries, tokens, mixed_tokens, threads, version, epoch, generation, unindexed from core.spaces order by name

-- name: is_open: whether everybody may do in this database what SQL of agents and readers must not
select exists (select from core.open_rights())

-- name: position: the system of a primary, its timeline, and the bytes up to which its log is flushed and inserted
--
-- A commit is flushed before it is acknowledged, unless synchronous_commit is off: then it is inserted.
select system_identifier, ('x' || left(pg_walfile_name(inserted), 8))::bit(32)::int as timeline,
    (pg_current_wal_flush_lsn() - '0/0'::pg_lsn)::bigint as flushed, (inserted - '0/0'::pg_lsn)::bigint as inserted
from pg_control_system(), pg_current_wal_insert_lsn() as inserted

-- name: standing: whether a server replays the log of another, the system of that, and how far
--
-- The timeline is that of the last checkpoint: never a later one than is replayed.
select pg_is_in_recovery() as replays, system_identifier, timeline_id as timeline,
    (pg_last_wal_replay_lsn() - '0/0'::pg_lsn)::bigint as byte
from pg_control_system(), pg_control_checkpoint()

-- name: shown_seconds: how old the latest transaction is that a standby shows; null where it has replayed none
select extract(epoch from now() - pg_last_xact_replay_timestamp())::float8
