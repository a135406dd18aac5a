-- What the run itself asks the server.

-- name: relations
select c.relname as relation, c.relkind::text as kind, coalesce(t.relname, c.relname) as table_name,
       pg_relation_size(c.oid) + case when c.relkind = 'r' then coalesce(pg_total_relation_size(nullif(c.reltoastrelid, 0)), 0) else 0 end
         as size_bytes
from pg_class c
join pg_namespace n on n.oid = c.relnamespace
left join pg_index i on i.indexrelid = c.oid
left join pg_class t on t.oid = i.indrelid
where c.relkind in ('r', 'i', 'm')
  and n.nspname not in ('pg_catalog', 'information_schema')
  and n.nspname not like 'pg\_toast%%'
order by size_bytes desc, relation;

-- name: settle
vacuum (analyze);

-- name: database
select from pg_database where datname = %(name)s;
