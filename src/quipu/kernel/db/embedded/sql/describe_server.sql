-- What the running server is: its version, where its programs are, and how many sessions others have.
select current_setting('server_version') as version,
       (select setting from pg_config where name = 'BINDIR') as bin_dir,
       (select count(*) from pg_stat_activity
         where backend_type = 'client backend' and pid <> pg_backend_pid()) as clients;
