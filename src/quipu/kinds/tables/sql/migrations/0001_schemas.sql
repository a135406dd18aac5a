-- Schemas of PostgreSQL in which agents make tables of their own. Names are those of "Memory System V2".
--
-- What an agent sends runs on connections of two login roles that its schema has, and of nothing stronger: the
-- writer owns what it makes, the reader reads it. What the engine keeps there (schema_registry, embeddings) belongs
-- to quipu_owner, so that PostgreSQL itself refuses to have it dropped, altered or emptied.

insert into core.recall_kinds (code, name) values (6, 'tables');

do $$
begin
    execute format('revoke temporary on database %I from public', current_database());
    execute format('grant temporary on database %I to quipu_owner, quipu_app', current_database());
end
$$;

set local role quipu_owner;

create schema tables;
grant usage on schema tables to quipu_app, public;
comment on schema tables is 'The schemas of agents, who may use them, and what is in them.';

create table tables.schemas (
    space_id integer not null default core.current_space() references core.spaces (id) on delete cascade,
    id integer not null generated always as identity,
    name text not null check (name ~ '^[a-z][a-z0-9_]{0,29}$'),
    schema_name text not null check (schema_name ~ '^memory(_[a-z][a-z0-9_]*)?$' and char_length(schema_name) < 64),
    description text,
    writer text not null,
    reader text not null,
    version bigint not null default 0,
    fingerprint text not null default '',
    created_at timestamptz not null default now(),
    primary key (space_id, id),
    unique (space_id, name),
    unique (space_id, schema_name),
    unique (space_id, writer),
    unique (space_id, reader)
);
comment on column tables.schemas.name is 'What it is called in its space: memory, or a short name.';
comment on column tables.schemas.schema_name is 'What it is called in SQL: names of schemas are shared by all spaces of a database.';
comment on column tables.schemas.version is 'Counts the changes of its structure; whoever keeps something made of it compares this.';
comment on column tables.schemas.fingerprint is 'Of its tables, columns, descriptions and indexes, as of the version.';

create table tables.passwords (
    space_id integer not null default core.current_space(),
    schema_id integer not null,
    writer_password text not null,
    reader_password text not null,
    primary key (space_id, schema_id),
    foreign key (space_id, schema_id) references tables.schemas (space_id, id) on delete cascade
);
comment on table tables.passwords is 'Of the login roles of schemas. Only quipu_owner reads it.';

create table tables.grants (
    space_id integer not null default core.current_space(),
    schema_id integer not null,
    agent text not null check (char_length(agent) between 1 and 512),
    permission text not null check (permission in ('read', 'write', 'admin')),
    granted_at timestamptz not null default now(),
    primary key (space_id, schema_id, agent),
    foreign key (space_id, schema_id) references tables.schemas (space_id, id) on delete cascade
);
comment on column tables.grants.permission is 'read: query and list; write: insert, update and delete as well; admin: change the structure as well.';

-- The tables of agents as the engine last saw them: by oid, so that one that is renamed is known again. Whatever
-- follows the structure (vectors of rows, say) hangs on changes of these rows.
create table tables.relations (
    space_id integer not null,
    schema_id integer not null,
    relation oid not null,
    table_name text not null,
    description text,
    columns jsonb not null,
    key text[] not null,
    fields text[] not null,
    primary key (space_id, schema_id, relation),
    foreign key (space_id, schema_id) references tables.schemas (space_id, id) on delete cascade
);
comment on table tables.relations is 'What tables.settle() saw last.';
comment on column tables.relations.columns is 'Number of each column to its name.';
comment on column tables.relations.key is 'Columns of the primary key, in its order; empty where there is none.';
comment on column tables.relations.fields is 'Columns that are embedded: of embeddable_fields of the registry, those that are there.';

create table tables.discarded_roles (
    role text primary key
);
comment on table tables.discarded_roles is 'Roles of schemas that are gone; whoever may drop roles drops them.';

do $$
declare
    t text;
begin
    foreach t in array array['schemas', 'passwords', 'grants', 'relations'] loop
        execute format('alter table tables.%I enable row level security', t);
        execute format('alter table tables.%I force row level security', t);
        execute format('create policy own_space on tables.%I using (space_id = (select core.current_space()))', t);
        -- The functions below run as quipu_owner for callers that have entered no space.
        execute format('create policy engine on tables.%I to quipu_owner using (true)', t);
    end loop;
end
$$;
grant select on tables.schemas, tables.relations to quipu_app;
grant select, insert, update, delete on tables.grants to quipu_app;
grant update (description) on tables.schemas to quipu_app;

-- Makes the roles and the schema. Runs as the account that Quipu logs in with, which may make roles.
create function tables.found(
    short_name text, physical_name text, about text, writer_role text, reader_role text,
    writer_secret text, reader_secret text, writer_pass text, reader_pass text
) returns integer
    language plpgsql volatile
    as $$
declare
    made integer;
begin
    -- Said by the migrations too, but rights on a database do not come along when it is copied or restored.
    execute format('grant create, temporary on database %I to quipu_owner', current_database());
    execute format('grant temporary on database %I to quipu_app', current_database());
    execute format('revoke temporary on database %I from public', current_database());

    execute format('create role %I login noinherit nocreatedb nocreaterole connection limit 16 password %L',
        writer_role, writer_secret);
    execute format('create role %I login noinherit nocreatedb nocreaterole connection limit 16 password %L',
        reader_role, reader_secret);
    -- The owner of the house may do with the objects of a writer what the writer may; never the other way round.
    execute format('grant %I to quipu_owner', writer_role);
    if (select rolsuper from pg_catalog.pg_roles where rolname = current_user) then
        execute format('alter role %I set temp_file_limit = %L', writer_role, '256MB');
        execute format('alter role %I set temp_file_limit = %L', reader_role, '256MB');
    end if;

    set local role quipu_owner;
    insert into tables.schemas (name, schema_name, description, writer, reader)
    values (short_name, physical_name, about, writer_role, reader_role)
    returning id into made;
    insert into tables.passwords (schema_id, writer_password, reader_password)
    values (made, writer_pass, reader_pass);
    perform tables.furnish(made);
    reset role;
    return made;
end
$$;
revoke execute on function tables.found(text, text, text, text, text, text, text, text, text) from public;
comment on function tables.found(text, text, text, text, text, text, text, text, text) is
    'Makes a schema for the space that was entered, with its two roles; returns its id.';

-- The schema itself, what the engine keeps in it, and who may do what. Runs again without harm.
create function tables.furnish(made integer) returns void
    language plpgsql volatile
    as $$
declare
    s tables.schemas;
begin
    select * into strict s from tables.schemas where id = made;
    execute format('create schema if not exists %I', s.schema_name);
    execute format($x$
        create table if not exists %1$I.schema_registry (
            table_name text primary key,
            description text,
            embeddable_fields text[] not null default '{}',
            created_at timestamptz not null default now(),
            updated_at timestamptz not null default now()
        )$x$, s.schema_name);
    execute format('comment on table %I.schema_registry is %L', s.schema_name,
        'What each table is for, and which of its fields are embedded. Kept by the engine.');
    execute format('grant usage, create on schema %I to %I', s.schema_name, s.writer);
    execute format('grant usage on schema %I to %I', s.schema_name, s.reader);
    execute format('grant select, insert, update on %I.schema_registry to %I', s.schema_name, s.writer);
    execute format('grant select on %I.schema_registry to %I', s.schema_name, s.reader);
    execute format('alter default privileges for role %I in schema %I grant select on tables to %I',
        s.writer, s.schema_name, s.reader);
    execute format('alter default privileges for role %I in schema %I grant select on sequences to %I',
        s.writer, s.schema_name, s.reader);
    if to_regprocedure('tables.furnish_embeddings(integer)') is not null then
        execute 'select tables.furnish_embeddings($1)' using made;
    end if;
end
$$;
revoke execute on function tables.furnish(integer) from public;
comment on function tables.furnish(integer) is 'Makes the schema of that id with its protected objects and its rights.';

-- The end of every call that may have changed the structure, on the connection of the writer, in its transaction.
-- Called by anybody at any time it does no harm: it looks at the schema of whoever is logged in.
create function tables.settle() returns bigint
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set row_security = on
    as $$
declare
    s tables.schemas;
    registry regclass;
    seen text;
    moved record;
    hidden regclass;
begin
    select * into s from tables.schemas where writer = session_user for update;
    if s.id is null then
        return null;
    end if;
    registry := format('%I.schema_registry', s.schema_name)::regclass;

    for hidden in  -- from the reader: whatever its owner did with its rights, it can be asked for
        select c.oid from pg_class c
        where c.relnamespace = s.schema_name::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'S')
            and pg_get_userbyid(c.relowner) = session_user and not has_table_privilege(s.reader, c.oid, 'select')
    loop
        execute format('grant select on %s to %I', hidden, s.reader);
    end loop;

    for moved in  -- tables and columns that have another name than before
        select r.table_name as old_name, c.relname::text as new_name, r.columns as old_columns, c.oid as relation
        from tables.relations r
        join pg_class c on c.oid = r.relation
        where r.schema_id = s.id
            and (c.relname <> r.table_name or exists (
                select from jsonb_each_text(r.columns) o (num, name)
                join pg_attribute a on a.attrelid = c.oid and a.attnum = o.num::int2 and not a.attisdropped
                where a.attname <> o.name))
    loop
        execute format($x$
            update %1$s t set table_name = $1, updated_at = now(), embeddable_fields = array(
                select coalesce(a.attname::text, f.name)
                from unnest(t.embeddable_fields) with ordinality f (name, place)
                left join jsonb_each_text($3) o (num, name) on o.name = f.name
                left join pg_attribute a on a.attrelid = $4 and a.attnum = o.num::int2 and not a.attisdropped
                order by f.place)
            where t.table_name = $2$x$, registry)
        using moved.new_name, moved.old_name, moved.old_columns, moved.relation;
    end loop;

    execute format($x$
        delete from %s t where not exists (
            select from pg_class c where c.relnamespace = $1 and c.relname = t.table_name
                and c.relkind in ('r', 'p'))$x$, registry)
    using s.schema_name::regnamespace::oid;

    update tables.relations r set relation = c.oid  -- a table was made anew under its name: recreate does that
    from pg_class c
    where r.schema_id = s.id and c.relnamespace = s.schema_name::regnamespace and c.relname = r.table_name
        and c.relkind in ('r', 'p') and c.oid <> r.relation
        and not exists (select from pg_class old where old.oid = r.relation)
        and not exists (select from tables.relations o where o.schema_id = s.id and o.relation = c.oid);

    delete from tables.relations r
    where r.schema_id = s.id and not exists (
        select from pg_class c
        where c.oid = r.relation and c.relnamespace = s.schema_name::regnamespace and c.relkind in ('r', 'p'));

    execute format($x$
        insert into tables.relations as r
            (space_id, schema_id, relation, table_name, description, columns, key, fields)
        select $1, $2, c.oid, c.relname, t.description, cols.columns, keys.key,
            array(
                select f.name from unnest(t.embeddable_fields) with ordinality f (name, place)
                where exists (select from jsonb_each_text(cols.columns) o (num, name) where o.name = f.name)
                order by f.place)
        from pg_class c
        left join %s t on t.table_name = c.relname
        cross join lateral (
            select coalesce(jsonb_object_agg(a.attnum, a.attname), '{}') as columns
            from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        ) cols
        cross join lateral (
            select array(
                select a.attname::text
                from pg_index i
                cross join lateral unnest(i.indkey::int2[]) with ordinality k (num, place)
                join pg_attribute a on a.attrelid = c.oid and a.attnum = k.num
                where i.indrelid = c.oid and i.indisprimary
                order by k.place) as key
        ) keys
        where c.relnamespace = $3 and c.relkind in ('r', 'p') and pg_get_userbyid(c.relowner) = session_user
        on conflict (space_id, schema_id, relation) do update
        set table_name = excluded.table_name, description = excluded.description, columns = excluded.columns,
            key = excluded.key, fields = excluded.fields
        where (r.table_name, r.description, r.columns, r.key, r.fields) is distinct from
            (excluded.table_name, excluded.description, excluded.columns, excluded.key, excluded.fields)$x$, registry)
    using s.space_id, s.id, s.schema_name::regnamespace::oid;

    execute format($x$
        select md5(coalesce(string_agg(line, chr(10) order by line), '')) from (
            select concat_ws(chr(31), c.relname, c.relkind, a.attnum, a.attname, format_type(a.atttypid, a.atttypmod),
                a.attnotnull, pg_get_expr(d.adbin, d.adrelid), col_description(c.oid, a.attnum),
                obj_description(c.oid, 'pg_class')) as line
            from pg_class c
            left join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
            left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
            where c.relnamespace = $1
            union all
            select concat_ws(chr(31), t.table_name, t.description, t.embeddable_fields::text) from %s t
        ) lines$x$, registry)
    into seen using s.schema_name::regnamespace::oid;
    if seen <> s.fingerprint then
        update tables.schemas t set version = t.version + 1, fingerprint = seen
        where t.space_id = s.space_id and t.id = s.id
        returning t.version into s.version;
    end if;
    return s.version;
end
$$;
comment on function tables.settle() is
    'Has registry and relations follow the structure of the schema whose writer is logged in; returns its version.';

create function tables.discard(doomed integer) returns void
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
    insert into tables.discarded_roles (role) values (s.writer), (s.reader) on conflict do nothing;
    delete from tables.schemas where space_id = s.space_id and id = s.id;
end
$$;
revoke execute on function tables.discard(integer) from public;
grant execute on function tables.discard(integer) to quipu_app;
comment on function tables.discard(integer) is 'Drops a schema of the space that was entered, with everything in it.';

-- Runs as the account that Quipu logs in with.
create function tables.drop_discarded_roles() returns void
    language plpgsql volatile
    as $$
declare
    gone text;
begin
    for gone in select role from tables.discarded_roles for update skip locked loop
        execute format('drop role if exists %I', gone);
        delete from tables.discarded_roles where role = gone;
    end loop;
end
$$;
revoke execute on function tables.drop_discarded_roles() from public;
comment on function tables.drop_discarded_roles() is 'Drops the roles of schemas that are gone.';

create function tables.set_passwords(
    schema integer, writer_secret text, reader_secret text, writer_pass text, reader_pass text
) returns void
    language plpgsql volatile
    as $$
declare
    s tables.schemas;
begin
    select * into strict s from tables.schemas where id = schema;
    execute format('alter role %I password %L', s.writer, writer_secret);
    execute format('alter role %I password %L', s.reader, reader_secret);
    update tables.passwords p set writer_password = writer_pass, reader_password = reader_pass
    where p.space_id = s.space_id and p.schema_id = s.id;
end
$$;
revoke execute on function tables.set_passwords(integer, text, text, text, text) from public;
comment on function tables.set_passwords(integer, text, text, text, text) is
    'Gives the roles of a schema new passwords: a role may change its own, and then we could not log in.';

-- What PostgreSQL lets everybody do, and what agents must not: it takes a superuser, and it changes what others in
-- the same database may. The embedded database is ours alone; elsewhere an administrator decides.
create function tables.harden() returns void
    language plpgsql volatile
    as $$
declare
    everybody text;
    ours constant text := 'quipu_owner, quipu_app, quipu_relay, quipu_see';
begin
    revoke create on schema public from public;
    -- What there is in other schemas, how it is described, who else is there, what they do.
    for everybody in
        select c.oid::regclass::text from pg_catalog.pg_class c
        where c.relnamespace = 'pg_catalog'::regnamespace and c.relkind in ('r', 'v')
            and pg_catalog.has_table_privilege('public', c.oid, 'select')
    loop
        execute format('grant select on pg_catalog.%s to %s', everybody, ours);
        execute format('revoke select on pg_catalog.%s from public', everybody);
    end loop;
    for everybody in
        select p.oid::regprocedure::text from pg_catalog.pg_proc p
        where p.pronamespace = 'pg_catalog'::regnamespace
            and pg_catalog.has_function_privilege('public', p.oid, 'execute')
            and (p.proname ~ '^pg_(try_)?advisory_'  -- our locks are taken by number
                or p.proname ~ '^lo_' or p.proname in ('loread', 'lowrite')  -- large objects are in no schema
                or p.proname in ('pg_notify', 'pg_logical_emit_message', 'pg_cancel_backend', 'pg_terminate_backend',
                    'pg_get_viewdef', 'pg_get_functiondef', 'pg_get_function_sqlbody', 'pg_get_ruledef',
                    'pg_get_triggerdef', 'pg_get_indexdef', 'pg_get_constraintdef', 'pg_describe_object',
                    'pg_identify_object', 'pg_identify_object_as_address', 'pg_stat_get_activity', 'pg_lock_status'))
    loop
        execute format('grant execute on function pg_catalog.%s to quipu_owner, quipu_app, quipu_relay', everybody);
        execute format('revoke execute on function pg_catalog.%s from public', everybody);
    end loop;
end
$$;
revoke execute on function tables.harden() from public;
comment on function tables.harden() is
    'Takes from PUBLIC what agents must not do in this database; run by a superuser. See docs/decisions/tables.md.';

reset role;

do $$
begin
    if current_user = 'quipu_admin' and (select rolsuper from pg_roles where rolname = current_user) then
        perform tables.harden();
    end if;
end
$$;
