-- What a writer owns outside of its schema (default privileges) kept its role from being dropped, and with that every
-- space from getting a new schema.

set role quipu_owner;

create or replace function tables.discard(doomed integer) returns void
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
    as $$
declare
    s tables.schemas;
begin
    select * into s from tables.schemas where id = doomed and space_id = core.current_space() for update;
    if s.id is null then
        return;
    end if;
    execute format('drop schema if exists %I cascade', s.schema_name);
    execute format('drop owned by %I', s.writer);
    insert into tables.discarded_roles (role) values (s.writer), (s.reader) on conflict do nothing;
    delete from tables.schemas where space_id = s.space_id and id = s.id;
end
$$;

create or replace function tables.drop_discarded_roles() returns void
    language plpgsql volatile
    as $$
declare
    gone text;
begin
    for gone in select role from tables.discarded_roles for update skip locked loop
        begin
            execute format('drop role if exists %I', gone);
            delete from tables.discarded_roles where role = gone;
        exception when dependent_objects_still_exist then
            null;  -- it can do nothing, and nobody waits for it
        end;
    end loop;
end
$$;

reset role;
