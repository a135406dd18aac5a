-- SQL of readers runs on a login that its space has to itself. All of them are members of quipu_see, which has the
-- rights to read and logs in no more: what one of them may see is known by its name, whatever a query sets.

do $$
begin
    execute 'alter role quipu_see nologin password null';
exception when insufficient_privilege then
    raise notice 'quipu_see can still log in; it sees no rows. To end that: alter role quipu_see nologin';
end
$$;

set local role quipu_owner;

create table transcripts.readers (
    space_id integer not null default core.current_space() references core.spaces (id) on delete cascade,
    role text not null,
    password text not null,
    primary key (space_id),
    unique (space_id, role)
);
comment on table transcripts.readers is 'The login of each space for SQL of readers. Only quipu_owner reads it.';
create index readers_role on transcripts.readers (role);
alter table transcripts.readers enable row level security;
alter table transcripts.readers force row level security;
create policy own_space on transcripts.readers using (space_id = (select core.current_space()));
create policy logins on transcripts.readers to quipu_owner using (true);

create table transcripts.discarded_readers (
    role text primary key
);
comment on table transcripts.discarded_readers is 'Logins of spaces that are gone; whoever may drop roles drops them.';

create function transcripts.discard_reader() returns trigger
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
    as $$
begin
    insert into transcripts.discarded_readers (role) values (old.role) on conflict do nothing;
    return null;
end
$$;
revoke execute on function transcripts.discard_reader() from public;
create trigger discard_reader after delete on transcripts.readers
    for each row execute function transcripts.discard_reader();

create function transcripts.reader_space() returns integer
    language sql stable security definer set search_path = pg_catalog, pg_temp
    begin atomic
    select r.space_id from transcripts.readers r where r.role = session_user;
    end;
comment on function transcripts.reader_space() is 'The space that whoever is logged in reads, or null.';
revoke execute on function transcripts.reader_space() from public;
grant execute on function transcripts.reader_space() to quipu_see;

-- Runs as the account that Quipu logs in with, which may make roles, in the space that was entered.
create function transcripts.make_reader(login text, secret text, plain_password text) returns void
    language plpgsql volatile
    as $$
declare
    gone text;
begin
    for gone in select role from transcripts.discarded_readers for update skip locked loop
        execute format('drop role if exists %I', gone);
        delete from transcripts.discarded_readers where role = gone;
    end loop;
    if not exists (select from pg_catalog.pg_roles where rolname = login) then
        execute format('create role %I login inherit nocreatedb nocreaterole connection limit 4', login);
        if current_setting('server_version_num')::integer >= 160000 then
            execute format('grant quipu_see to %I with inherit true, set false', login);
        else
            execute format('grant quipu_see to %I', login);
        end if;
    end if;
    execute format('alter role %I password %L', login, secret);
    set local role quipu_owner;
    insert into transcripts.readers as r (role, password) values (login, plain_password)
    on conflict (space_id) do update set role = excluded.role, password = excluded.password;
    reset role;
end
$$;
revoke execute on function transcripts.make_reader(text, text, text) from public;
comment on function transcripts.make_reader(text, text, text) is
    'Gives the space that was entered its login for readers with that password, made where it is missing.';

do $$
declare
    seen record;
begin
    for seen in
        select p.polrelid::regclass as name from pg_policy p
        where p.polname = 'seen' and p.polroles = array['quipu_see'::regrole::oid]
    loop
        execute format('drop policy seen on %s', seen.name);
        execute format('create policy seen on %s as restrictive to quipu_see '
            'using (space_id = (select transcripts.reader_space()))', seen.name);
    end loop;
end
$$;

drop function transcripts.ticket_space();
drop function transcripts.reader_password(text);
drop table transcripts.tickets;

reset role;

-- The embedded database is ours alone.
do $$
begin
    if current_user = 'quipu_admin' and (select rolsuper from pg_roles where rolname = current_user) then
        perform core.harden();
    end if;
end
$$;
