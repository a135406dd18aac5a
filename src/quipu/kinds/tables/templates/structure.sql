-- name: is_there: whether a table is there
select tables.is_own($1::text) as found

-- name: is_taken: whether a name in the schema begins so
select tables.is_taken($1::text) as found

-- name: unkeyed: tables of which nothing is embedded, for want of a primary key
select table_name from tables.own_unkeyed() as table_name

-- name: enter: before any other lock, not while a dump is loaded into the schema
lock table schema_registry in row exclusive mode

-- name: look: the columns of a table
select * from {table} limit 0

-- name: parts: what the catalogue knows of a table of the writer, as this transaction sees it
select kind, of, name, definition, statement from tables.own_parts($1::text)

-- name: own_state: every object of the writer, and the rows that this transaction changed
select object, state, updated, deleted from tables.own_state()

-- name: end_of_statement: what was put off to the end of the transaction is done now
set constraints all immediate

-- name: register: what a table is for, and what of it is embedded
insert into {registry} (table_name, description, embeddable_fields)
values ($1::text, $2::text, $3::text[])
on conflict (table_name) do update
set description = excluded.description, embeddable_fields = excluded.embeddable_fields, updated_at = pg_catalog.now()

-- name: describe_table: as a comment
comment on table {table} is {text}

-- name: describe_column: as a comment
comment on column {column} is {text}

-- name: create: a table as its parts make it
create table {table} (
{parts}
)

-- name: rename_table: to another name
alter table {table} rename to {name}

-- name: rename_index: to another name
alter index {index} rename to {name}

-- name: rename_sequence: to another name
alter sequence {index} rename to {name}

-- name: rename_constraint: to another name
alter table {table} rename constraint {old} to {name}

-- name: rename_column: to another name
alter table {table} rename column {old} to {name}

-- name: count_rows: of a table
select pg_catalog.count(*) as count from {table}

-- name: carry: rows from one table to another
insert into {new} ({columns}) overriding system value select {taken} from {old}{few}

-- name: sequence: what numbers a column
select pg_catalog.pg_get_serial_sequence($1::text, $2::text) as sequence

-- name: count_on: a sequence goes on after what is there
select pg_catalog.setval($1::text::regclass, m.most::bigint)
from (
    select case when $2::bigint < 0 then least(pg_catalog.min({column}), $2::bigint)
        else greatest(pg_catalog.max({column}), $2::bigint) end as most
    from {table}) m
where m.most > 0 or m.most < 0 and $2::bigint < 0

-- name: count_again: a sequence goes on where it was
select pg_catalog.setval($1::text::regclass, $2::text::bigint)

-- name: counted: how far a sequence has counted
select case when is_called then last_value end::text as counted from {sequence}

-- name: disown_sequence: it outlives its table
alter sequence {sequence} owned by none

-- name: own_sequence: it goes with its column
alter sequence {sequence} owned by {column}

-- name: drop_sequence: that nothing uses
drop sequence {sequence}

-- name: drop_constraint: of another table
alter table {table} drop constraint {name}

-- name: drop_table: the one before
drop table {table}

-- name: drop_view: until it is made again
drop {kind} {view}


-- name: compute: what an index or statistics compute, for the first pages of a table
select pg_catalog.count(row({expression})) from only {table}
where ctid < {pages}::pg_catalog.tid and ({condition})

-- name: admit: let a role into a schema
grant {right} on schema {schema} to {role}{option}

-- name: hold: nobody else reads or changes a table from now on
lock table {table} in access exclusive mode
