-- name: insert_rows: rows that have the same columns, from one JSON document
insert into {table} as t ({columns})
select {columns} from pg_catalog.jsonb_populate_recordset(null::{table}, {rows}){returning}

-- name: insert_defaults: a row of which nothing is said
insert into {table} as t default values{returning}

-- name: as_written: a row as a statement wrote it: its transaction, its key, its embedded fields
pg_catalog.jsonb_build_array(pg_catalog.pg_current_xact_id(), {key}, {fields}) as {name}

-- name: update_rows: columns of the rows that satisfy a condition, from one JSON document
update {table} as t
set ({columns}) = (select {taken} from pg_catalog.jsonb_populate_record(null::{table}, {data}) v){touched}
where {where}{returning}

-- name: delete_rows: the rows that satisfy a condition
delete from {table} as t where {where}{returning}

-- name: try_column: whether values can be read as the type of a column
select count(v.{column}) from pg_catalog.jsonb_populate_recordset(null::{table}, $1::jsonb) v

-- name: among: a column has one of several values
{column} {operator} (select v.{name} from pg_catalog.jsonb_populate_recordset(null::{table}, {rows}) v)

-- name: compare: a column compares so with a value
{column} {operator} (pg_catalog.jsonb_populate_record(null::{table}, {data})).{name}
