set local role quipu_owner;

-- Spaces over many databases: one of them is the directory, and knows the others. Elsewhere these tables are empty.
create table core.databases (
    number integer generated always as identity primary key check (number between 1 and 511),
    name text not null unique check (name ~ '^[a-z][a-z0-9-]{0,62}$'),
    url text not null check (char_length(url) between 1 and 4096),
    identity text not null unique,
    draining boolean not null default false,
    added_at timestamptz not null default now()
);
comment on table core.databases is 'Of no space: the databases of this directory.';
comment on column core.databases.number is 'Which numbers it gives to its spaces: those from here times 4194304 on.';
comment on column core.databases.url is 'Its address; the owner of the directory alone can read it.';
comment on column core.databases.identity is 'What tells it from all others, by whatever address it is reached.';
comment on column core.databases.draining is 'It is given no new spaces.';

create table core.places (
    space text primary key check (char_length(space) between 1 and 512),
    database integer not null references core.databases (number),
    placed_at timestamptz not null default now()
);
comment on table core.places is 'Of no space: in which database each space is, or will be when something is written to it.';
create index places_of_database on core.places (database);

create function core.place_of(wanted text) returns text
    language sql stable security definer set search_path = ''
    as $$
    select d.name from core.places p join core.databases d on d.number = p.database where p.space = wanted
    $$;
comment on function core.place_of(text) is 'The name of the database that has a space; null: none has it yet.';

create function core.place_space(wanted text, home text) returns text
    language plpgsql volatile security definer set search_path = ''
    as $$
begin
    insert into core.places (space, database) select wanted, number from core.databases where name = home
    on conflict (space) do nothing;
    return core.place_of(wanted);
end
$$;
comment on function core.place_space(text, text) is 'Gives a space to a database, if none has it; returns which one has it.';

revoke execute on function core.place_of(text), core.place_space(text, text) from public;
grant execute on function core.place_of(text), core.place_space(text, text) to quipu_app;
