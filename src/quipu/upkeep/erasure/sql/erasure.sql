-- name: names_key: what names that were erased are hashed with
select core.erasure_names_key()

-- name: public_key: what receipts are verified with; null before the first
select core.erasure_public_key()

-- name: hold_chain: the end of the chain of receipts, held until commit, and the key that signs
select signing, number, encode(digest, 'hex') as digest from core.hold_erasure_chain(%(signing)s, %(public)s)

-- name: extend_chain: move the end of the chain on
select core.extend_erasure_chain(%(number)s, decode(%(digest)s, 'hex'))

-- name: last_in_space: the last receipt of the space of the transaction
select space_number, document from core.erasures
where space_id = %(space)s and number is not null
order by number desc limit 1

-- name: write_receipt: keep a receipt
insert into core.erasures (space_id, id, session_hash, user_hash, message_hash, space_hash, name_hashes, counts,
    erased_at, number, space_number, document, signature, of_receipt)
values (%(space)s, %(id)s, %(session_hash)s, %(user_hash)s, %(message_hash)s, %(space_hash)s, %(name_hashes)s,
    %(counts)s, %(erased_at)s, %(number)s, %(space_number)s, %(document)s, %(signature)s, %(of_receipt)s)

-- name: receipts_of_space: the receipts of the space of the transaction, oldest first
select document, signature from core.erasures
where space_id = %(space)s and number is not null
    and (%(id)s::uuid is null or id = %(id)s or of_receipt = %(id)s)
order by number

-- name: carried_receipt: one that an archive or a move brought from another database
select document, signature, public_key from core.receipts where space_id = %(space)s and id = %(id)s

-- name: receipts_of_all: the receipts of the database, oldest first; for its owner
select document, signature from core.erasures
where number is not null and (%(id)s::uuid is null or id = %(id)s or of_receipt = %(id)s)
order by number

-- name: count_erasure: whoever read the space before sees that something was erased since
update core.spaces set epoch = epoch + 1 where id = %(space)s

-- name: remove_space: forget that the space was there
delete from core.spaces where id = %(space)s

-- name: columns: columns of our tables of spaces that can hold a name; the index and the receipts follow the others
--
-- So do columns that PostgreSQL makes of others.
select n.nspname::text, c.relname::text, a.attname::text,
    case when t.typcategory = 'S' then '' else format_type(a.atttypid, null) end
from pg_catalog.pg_class c
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
join pg_catalog.pg_attribute s on s.attrelid = c.oid and s.attname = 'space_id'
join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    and a.attgenerated = ''
join pg_catalog.pg_type t on t.oid = a.atttypid
where c.relkind = 'r' and c.relowner = 'quipu_owner'::regrole and c.relname !~ '^(recall_|erasures$)'
    and (t.typcategory = 'S' or a.atttypid in ('json'::regtype, 'jsonb'::regtype, 'text[]'::regtype))
    and n.nspname <> 'tables' and has_column_privilege(c.oid, a.attnum, 'select')
order by 1, 2, a.attnum

-- name: carried: names that messages of a person carry, and no message of anybody else
select distinct m.speaker from core.messages m
where m.space_id = %(space)s and m.user_name = %(user)s and m.role = 'user' and m.speaker is not null
    and not exists (
        select from core.messages o
        where o.space_id = m.space_id and o.speaker = m.speaker and o.user_name is distinct from m.user_name)

-- name: touched: tables of which this transaction took or changed rows
select schemaname::text, relname::text from pg_catalog.pg_stat_xact_user_tables
where n_tup_del + n_tup_upd > 0 and schemaname !~ '^pg_' order by 1, 2

-- name: held_back: whether transactions are open that still see what was there before; vacuum keeps it for them
select count(*) from pg_catalog.pg_stat_activity
where backend_xmin is not null and pid <> pg_catalog.pg_backend_pid() and datname = pg_catalog.current_database()

-- name: log_position: how far the write-ahead log is, and in which segment
select p.lsn::text, pg_catalog.pg_walfile_name(p.lsn) from (select pg_catalog.pg_current_wal_lsn()) p (lsn)

-- name: rewritable: our tables, those of agents' schemas, and the statistics of all, the largest last
select c.oid::bigint, n.nspname::text as schema, c.relname::text as table,
    pg_catalog.pg_total_relation_size(c.oid) as bytes, pg_catalog.pg_relation_filenode(c.oid)::bigint as file
from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where c.relkind in ('r', 'm') and (
    c.relowner = 'quipu_owner'::regrole or n.nspname = any (%(schemas)s)
    or c.oid = 'pg_catalog.pg_statistic'::regclass)
order by 4, 2, 3

-- name: file_of: by which file a table is kept
select pg_catalog.pg_relation_filenode(%(oid)s::oid)::bigint

-- name: looking_back: other transactions that may still see what was there before; those of vacuum keep nothing
--
-- Of sessions of other users PostgreSQL tells an ordinary login no type: they count as clients.
select count(*) from pg_catalog.pg_stat_activity
where (backend_xmin is not null or backend_xid is not null) and pid <> pg_catalog.pg_backend_pid()
    and datname = pg_catalog.current_database() and coalesce(backend_type, 'client backend') = 'client backend'

-- name: close_segment: write something to the log and close its segment
select pg_catalog.pg_logical_emit_message(false, 'quipu', ''), pg_catalog.pg_switch_wal()

-- name: is_archived: whether a segment of the log is archived, or none is
select pg_catalog.current_setting('archive_mode') = 'off' or coalesce(last_archived_wal >= %(segment)s, false)
from pg_catalog.pg_stat_archiver

-- name: log_segments: segments of the write-ahead log that are there
select name from pg_catalog.pg_ls_waldir() where name ~ '^[0-9A-F]{24}$' order by name

-- name: enter_number: make the transaction see a space by its number, which may be gone
select set_config('quipu.space_id', %(id)s::integer::text, true)

-- name: gone_space: the number of a space that was forgotten whole
select core.gone_space(%(hash)s, %(receipt)s)

-- name: entries_with: entries of the index in whose text a string stands
select count(*) from core.recall_entries where space_id = %(space)s and content operator(pg_catalog.~) %(pattern)s

-- name: clock: the time of the server
select clock_timestamp()

-- name: note_erased: note what was erased
select core.note_erased(%(name)s, %(kind)s, %(sessions)s::text[], %(ids)s::text[], %(until)s)

-- name: erased_sessions: of sessions, those that are not there and were once erased, or lost the lines that came of them
select e.name from (
    select core.erased_sessions(%(name)s, %(sessions)s::text[])
    union
    select name from unnest(%(sessions)s::text[]) as n (name) where name = any(%(lost)s::text[])
) as e (name)
where not exists (select from core.sessions s where s.space_id = %(space)s and s.name = e.name)

-- name: erased_among: the places of lines or prompts that were erased
select core.erased_among(%(name)s, %(kind)s, %(sessions)s::text[], %(ids)s::text[], %(times)s::timestamptz[],
    %(users)s::text[], %(speakers)s::text[], %(began)s)
