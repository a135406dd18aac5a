-- What is set for every process of this database, and for a space over that. Which settings there are, and
-- what they can be, the code knows: a value whose name it does not know stays and is not used.

set local role quipu_owner;

create table core.settings (
    name text primary key check (char_length(name) between 1 and 100),
    value jsonb not null,
    changed_at timestamptz not null
);

create table core.space_settings (
    space_id integer not null references core.spaces (id) on delete cascade,
    name text not null check (char_length(name) between 1 and 100),
    value jsonb not null,
    changed_at timestamptz not null,
    primary key (space_id, name)
);

alter table core.space_settings enable row level security;
alter table core.space_settings force row level security;
create policy own_space on core.space_settings using (space_id = (select core.current_space()));

grant select on core.settings to quipu_app;
grant select, insert, update, delete on core.space_settings to quipu_app;

create function core.number_set(setting text, otherwise double precision) returns double precision
    language sql stable parallel safe
    as $$
    select coalesce(
        (select (value #>> '{}')::float8 from core.space_settings
            where space_id = (select core.current_space()) and name = setting),
        (select (value #>> '{}')::float8 from core.settings where name = setting),
        otherwise)
    $$;
comment on function core.number_set(text, double precision) is
    'What SQL goes by where no program asks: the number stored for the space or for all, or another.';

reset role;
