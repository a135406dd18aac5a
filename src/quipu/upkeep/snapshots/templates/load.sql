-- name: limit: how long a statement may take, in milliseconds
set local statement_timeout = {milliseconds}

-- name: wait: between statements a file is read
set local idle_in_transaction_session_timeout = 0

-- name: unbodied: functions may name what comes after them
set local check_function_bodies = off

-- name: bare: names are written out in a dump
set local search_path = ''

-- name: hold: structures of the schema stay as they are meanwhile
lock table {registry} in share row exclusive mode

-- name: hold_rows: rows of a table stay as they are meanwhile
lock table {table} in share mode

-- name: clear_registry: rows for tables that are not there; they go when the engine follows
update {registry} set table_name = pg_catalog.concat($1::text, table_name)

-- name: rows: of a table, as text
copy {table} ({columns}) from stdin

-- name: rows_of_nothing: of a table without columns
copy {table} from stdin

-- name: sum: how many rows there are, and a sum of the hashes of their texts
select pg_catalog.count(*) as rows,
    coalesce(pg_catalog.sum(pg_catalog.hashtextextended(pg_catalog.textin(pg_catalog.record_out(t.*)), 0)), 0)::text
    as checksum
from {table} t

-- name: erase: rows in which a text, or a text within a document, is what was forgotten
delete from {table} t
where exists (
    select from pg_catalog.jsonb_path_query(pg_catalog.to_jsonb(t.*), 'strict $.**') v (value)
    where pg_catalog.jsonb_typeof(v.value) = 'string'
        and pg_catalog.encode(pg_catalog.sha256($3::bytea || pg_catalog.sha256(
            pg_catalog.convert_to($1::text, 'UTF8') || '\x00'::bytea
            || pg_catalog.convert_to(v.value #>> '{{}}', 'UTF8'))), 'hex') = any($2::text[]))

-- name: drop_orphans: rows that refer to none
delete from {table} c where {set} and not exists (select from {other} p where {same})

-- name: is_set: a column that refers
c.{column} is not null

-- name: same: and what it refers to
p.{other} = c.{column}

-- name: isolate: one moment for all that a snapshot holds
set transaction isolation level repeatable read, read only

-- name: as_owner: with the rights of the owner of the house
set local role quipu_owner

-- name: at_moment: see what another transaction sees
set transaction snapshot {moment}

-- name: grant: let a role do so much with an object, or with those that will be made
{ahead}grant {right}{columns} on {called} to {role}{option}

-- name: revoke: let it do so no longer, nor those to whom it passed that on
{ahead}revoke {right}{columns} on {called} from {role} cascade

-- name: of_column: with this column alone
 ({column})
