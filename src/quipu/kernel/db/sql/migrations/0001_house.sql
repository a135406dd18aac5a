-- The ground floor: extensions, roles, spaces, and the setting that row level security reads.

create extension if not exists vector;
create extension if not exists pg_trgm;
create extension if not exists pgcrypto;

do $$
begin
    if not exists (select from pg_roles where rolname = 'quipu_owner') then
        create role quipu_owner nologin;
    end if;
    if not exists (select from pg_roles where rolname = 'quipu_app') then
        create role quipu_app nologin;
    end if;
    if not pg_has_role(current_user, 'quipu_owner', 'usage') then
        execute format('grant quipu_owner to %I', current_user);
    end if;
    if not pg_has_role(current_user, 'quipu_app', 'usage') then
        execute format('grant quipu_app to %I', current_user);
    end if;
    execute format('grant create on database %I to quipu_owner', current_database());
end
$$;

alter schema core owner to quipu_owner;
alter table core.migrations owner to quipu_owner;
grant usage on schema core to quipu_app;
grant select on core.migrations to quipu_app;

set local role quipu_owner;

-- A space is the unit of isolation: a person, a project, a customer. Its counters are the statistics
-- of the ranking (entries, tokens), and its version orders the writes of the space one after the other.
create table core.spaces (
    id integer generated always as identity primary key,
    name text not null unique check (char_length(name) between 1 and 512),
    languages text[] not null default '{}',
    entries bigint not null default 0,
    tokens bigint not null default 0,
    mixed_tokens double precision not null default 0,
    threads bigint not null default 0,
    version bigint not null default 0,
    epoch bigint not null default 0,
    created_at timestamptz not null default now()
) with (fillfactor = 50);
comment on column core.spaces.version is 'Counts the writes; entries carry the version they were written in.';
comment on column core.spaces.epoch is 'Counts the erasures; whoever holds a copy of the space drops it when this changes.';

create function core.current_space() returns integer
    language sql stable parallel safe
    return nullif(current_setting('quipu.space_id', true), '')::integer;
comment on function core.current_space() is 'The space of this transaction, or null: then row level security shows nothing.';

create function core.enter(space text) returns core.spaces
    language plpgsql volatile
    as $$
declare
    found core.spaces;
begin
    perform set_config('quipu.space', space, true), set_config('quipu.space_id', '', true);
    select * into found from core.spaces where name = space;
    if found.id is not null then
        perform set_config('quipu.space_id', found.id::text, true);
    end if;
    return found;
end
$$;
comment on function core.enter(text) is 'Makes this transaction see that space and no other; a row of nulls where there is none yet.';

alter table core.spaces enable row level security;
alter table core.spaces force row level security;
create policy own_space on core.spaces
    using (name = (select current_setting('quipu.space', true)));

create policy upkeep on core.spaces for select to quipu_owner using (true);

grant select, insert, update, delete on core.spaces to quipu_app;

reset role;
