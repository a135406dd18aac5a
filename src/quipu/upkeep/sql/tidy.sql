-- name: searched: the tables that a search reads
select n.nspname::text, c.relname::text
from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where n.nspname = 'core' and c.relname in ('recall_postings', 'recall_entries', 'recall_vectors', 'recall_threads',
    'messages', 'sessions')
order by 1, 2

-- name: size_of: how large a table is with its indices
select coalesce(pg_catalog.pg_total_relation_size(pg_catalog.to_regclass(%(table)s)), 0)

-- name: limit: how long a statement of this session may take
select pg_catalog.set_config('statement_timeout', %(milliseconds)s::integer::text, false)
