-- Rows of a server of Letta, whatever its version: tables and columns are named by what its catalogue says.

-- name: letta_columns of the tables that are found without a schema, but vectors
select c.relname::text, array_agg(a.attname::text order by a.attnum)
from pg_catalog.pg_class c
join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
join pg_catalog.pg_type t on t.oid = a.atttypid
where c.relkind in ('r', 'p') and pg_catalog.pg_table_is_visible(c.oid) and t.typname not in ('vector', 'halfvec')
group by c.relname;

-- name: letta_rows of a table as JSON
select pg_catalog.to_jsonb(r) from (select {columns} from {table} order by {order}) r;

-- name: letta_count of the rows of a table
select count(*) from {table};
