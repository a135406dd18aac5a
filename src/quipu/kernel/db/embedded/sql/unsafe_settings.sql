-- The settings that durability rests on, where they are not as they must be.
select name, setting
  from pg_settings
 where (name in ('fsync', 'full_page_writes', 'data_checksums') and setting <> 'on')
    or (name = 'synchronous_commit' and setting = 'off')
 order by name;
