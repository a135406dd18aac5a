-- name: state: what the server is and how much it holds
select %(embedded)s::boolean as embedded, current_setting('server_version') as server_version,
       (select extversion from pg_extension where extname = 'vector') as pgvector,
       exists (select from pg_available_extensions where name = 'postgis') as postgis,
       coalesce((select model from core.recall_generations where state = 'serving'), '') as model,
       coalesce(%(wanted_model)s::text, (
           select model from core.recall_generations where state in ('building', 'serving')
           order by state, id desc
           limit 1
       ), '') as wanted_model,
       coalesce((select dimensions from core.recall_generations where state = 'serving'), 0) as dimensions,
       (select count(*) from core.spaces)::int8 as spaces,
       (select coalesce(sum(entries), 0) from core.spaces)::int8 as entries,
       pg_database_size(current_database()) as size_bytes,
       (select count(*) from pg_stat_replication where state is distinct from 'backup')::int4 as standbys,
       case when not pg_is_in_recovery() then
           (select max(pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn)) from pg_stat_replication)::int8
       end as standby_lag_bytes,
       coalesce((select last_failed_time > coalesce(last_archived_time, '-infinity') from pg_stat_archiver), false)
           as archive_fails

-- name: relations: tables and indexes of ours with their sizes
select c.oid::regclass::text as name, case c.relkind when 'r' then 'table' else 'index' end as kind,
       case c.relkind when 'r' then pg_table_size(c.oid) else pg_relation_size(c.oid) end as size_bytes,
       greatest(0, c.reltuples)::int8 as rows
from pg_class c
join pg_namespace n on n.oid = c.relnamespace
where n.nspname in ('core') and c.relkind in ('r', 'i')
order by size_bytes desc, name
