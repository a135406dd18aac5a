-- name: database_exists
-- Whether the database of the product is there.
select exists (select from pg_database where datname = 'quipu');

-- name: create_database
-- The database of the product; its encoding and locale are those of the cluster.
create database quipu encoding 'UTF8';

-- name: describe_server
-- What the running server is: its version, where its programs are, and how many sessions others have.
select current_setting('server_version') as version,
       (select setting from pg_config where name = 'BINDIR') as bin_dir,
       (select count(*) from pg_stat_activity
         where backend_type = 'client backend' and pid <> pg_backend_pid()) as clients;

-- name: unsafe_settings
-- The settings that durability rests on, where they are not as they must be.
select name, setting
  from pg_settings
 where (name in ('fsync', 'full_page_writes', 'data_checksums') and setting <> 'on')
    or (name = 'synchronous_commit' and setting = 'off')
 order by name;

-- name: lacking_extensions
-- Those of the wanted extensions that the server cannot create.
select wanted.name
  from unnest(%(names)s::text[]) with ordinality as wanted (name, place)
 where not exists (select from pg_available_extensions as available where available.name = wanted.name)
 order by wanted.place;

-- name: commit_something
-- A commit with a time, so that the log has one after all that was committed before.
select pg_current_xact_id();

-- name: switch_log
-- The rest of the segment that is written to is left empty; its name.
select pg_walfile_name(pg_switch_wal()) as name;

-- name: archived
-- Whether a segment is in the archive.
select coalesce(last_archived_wal >= %(name)s, false) from pg_stat_archiver;

-- name: keeps_log
-- Whether the server that runs keeps its log.
select current_setting('archive_mode') <> 'off';

-- name: recovered
-- Whether the log is replayed, and the time of the last commit in what was replayed.
select not pg_is_in_recovery(), pg_last_xact_replay_timestamp();

-- name: size_of_all
-- The bytes of all databases of the server.
select sum(pg_database_size(oid))::int8 from pg_database;

-- name: databases
-- The databases of the server that can hold something, by name.
select datname from pg_database where datallowconn and datname <> 'template1' order by datname;

-- name: tables
-- The tables of this database that are not PostgreSQL's own.
select n.nspname, c.relname
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
 where c.relkind = 'r'
   and n.nspname not in ('pg_catalog', 'information_schema')
   and c.relpersistence <> 't'
 order by n.nspname, c.relname;

-- name: older_extensions
-- The extensions of this database for which the server's programs have another version.
select e.extname
  from pg_extension e
  join pg_available_extensions a on a.name = e.extname
 where a.default_version <> e.extversion
 order by e.extname;

-- name: can_harden
-- Whether this database is one of ours, which knows what to close to everybody.
select to_regprocedure('core.harden()') is not null;

-- name: harden
-- Take from everybody what agents and readers must not do.
select core.harden();
