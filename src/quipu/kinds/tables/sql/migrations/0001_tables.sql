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
    id integer not null generated always as identity,
    watched text,
    primary key (space_id, schema_id, relation),
    foreign key (space_id, schema_id) references tables.schemas (space_id, id) on delete cascade,
    unique (space_id, schema_id, id)
);
comment on table tables.relations is 'What tables.settle() saw last.';
comment on column tables.relations.columns is 'Number of each column to its name.';
comment on column tables.relations.key is 'Columns of the primary key, in its order; empty where there is none.';
comment on column tables.relations.fields is 'Columns that are embedded: of embeddable_fields of the registry, those that are there.';
comment on column tables.relations.watched is 'What its triggers and its storage were like when they were last looked at.';

create table tables.discarded_roles (
    role text primary key
);
comment on table tables.discarded_roles is 'Roles of schemas that are gone; whoever may drop roles drops them.';

-- The functions below run as quipu_owner for callers that have entered no space.
call core.keep_in_space('tables', array['schemas', 'passwords', 'grants', 'relations'], rights => null, engine => true);

grant select on tables.schemas, tables.relations to quipu_app;
grant select, insert, update, delete on tables.grants to quipu_app;
grant update (description) on tables.schemas to quipu_app;

-- Makes the roles and the schema. Runs as the account that Quipu logs in with, which may make roles. A login has at most
-- 6 connections at a time: together they must not take the server from others.
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

    execute format('create role %I login noinherit nocreatedb nocreaterole connection limit 6 password %L',
        writer_role, writer_secret);
    execute format('create role %I login noinherit nocreatedb nocreaterole connection limit 6 password %L',
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

    update tables.relations r set relation = c.oid  -- a table was recreated under its name: recreate does that
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

-- What a writer owns outside of its schema (default privileges) kept its role from being dropped, and with that every
-- space from getting a new schema.
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
    execute format('drop owned by %I', s.writer);
    insert into tables.discarded_roles (role) values (s.writer), (s.reader) on conflict do nothing;
    delete from tables.schemas where space_id = s.space_id and id = s.id;
end
$$;

revoke execute on function tables.discard(integer) from public;

grant execute on function tables.discard(integer) to quipu_app;
comment on function tables.discard(integer) is 'Drops a schema of the space that was entered, with everything in it.';

create function tables.hold_still() returns void
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
    as $$
declare
    own record;
begin
    for own in
        select c.oid::regclass as name
        from tables.schemas s
        join pg_class c on c.relnamespace = to_regnamespace(quote_ident(s.schema_name))
        where s.space_id = core.current_space() and c.relkind in ('r', 'p')
        order by c.oid
    loop
        execute format('lock table %s in share mode', own.name);
    end loop;
    perform from tables.schemas where space_id = core.current_space() for update;
end
$$;
revoke execute on function tables.hold_still() from public;
grant execute on function tables.hold_still() to quipu_app;
comment on function tables.hold_still() is
    'Until the end of the transaction nothing changes in the schemas of the space that was entered; they can be read.';

-- Runs as the account that Quipu logs in with.
create function tables.drop_discarded_roles() returns void
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

-- Vectors of the rows of agents' tables: which row, field and part each entry of the one index stands for, and
-- which rows have changed since. The entries themselves are in core.recall_entries, like all that recall finds.
--
-- Triggers on each table that has fields to embed write down which rows changed, whoever changed them and how.
-- A row that is written down is not shown and not found until the index has followed: it can be missing for a
-- moment, and never be stale. See docs/decisions/table-embeddings.md.
create table tables.embeddings (
    space_id integer not null default core.current_space(),
    schema_id integer not null,
    relation_id integer not null,
    source_id text not null,
    field_name text not null,
    chunk_index integer not null default 0 check (chunk_index >= 0),
    entry_id bigint not null check (entry_id < 0),
    id uuid not null default gen_random_uuid(),
    content_hash varchar(64) not null,
    field_hash varchar(64) not null,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    primary key (space_id, schema_id, relation_id, source_id, field_name, chunk_index),
    unique (space_id, entry_id),
    foreign key (space_id, schema_id) references tables.schemas (space_id, id) on delete cascade
);
comment on table tables.embeddings is 'What each entry of the index stands for; the view embeddings of each schema shows it.';
comment on column tables.embeddings.source_id is 'The primary key as text; a JSON array of texts where it has several columns.';
comment on column tables.embeddings.chunk_index is '0: the whole field; a longer field has its parts, 1 and on, and no 0.';
comment on column tables.embeddings.content_hash is 'SHA-256 of the content of the entry.';
comment on column tables.embeddings.field_hash is 'SHA-256 of the whole field as the table has it.';

create index embeddings_content on tables.embeddings (space_id, schema_id, content_hash);

create table tables.dirty_rows (
    space_id integer not null default core.current_space(),
    schema_id integer not null,
    id bigint not null generated always as identity,
    relation_id integer not null,
    source_id text,
    noted_at timestamptz not null default now(),
    primary key (space_id, schema_id, id),
    foreign key (space_id, schema_id) references tables.schemas (space_id, id) on delete cascade
);
comment on table tables.dirty_rows is 'Rows that changed and that the index has not followed yet.';
comment on column tables.dirty_rows.source_id is 'Null: any row of the table may have changed.';

create index dirty_rows_of_a_relation on tables.dirty_rows
    (space_id, schema_id, relation_id, hashtextextended(source_id, 0));

-- Whoever has the index follow a schema holds its row: one at a time.
create table tables.following (
    space_id integer not null default core.current_space(),
    schema_id integer not null,
    primary key (space_id, schema_id),
    foreign key (space_id, schema_id) references tables.schemas (space_id, id) on delete cascade
);
comment on table tables.following is 'Held by whoever has the index follow a schema.';

call core.keep_in_space('tables', array['embeddings', 'dirty_rows', 'following'], rights => null, engine => true);

grant select, insert, update, delete on tables.embeddings to quipu_app;
grant select, insert, delete on tables.dirty_rows to quipu_app;
grant select, update on tables.following to quipu_app;

-- The views below are read by logins that enter no space and could set any: each names its own in its text, and
-- what it reads of the index is admitted to the owner of the view, rows of agents' tables and vectors of what
-- stands alone.
create policy rows_of_agents on core.recall_entries for select to quipu_owner using (kind = 6);

create policy rows_of_agents on core.recall_vectors for select to quipu_owner using (entry_id < 0);

-- A schema may have hundreds of tables, and all of them are looked at whenever the index follows one, and before
-- every recall: so they are looked at together. One by one, two hundred took thirty milliseconds each time.
create function tables.watches(relations oid[], ids integer[]) returns table (id integer, watched text)
    language sql stable set search_path = pg_catalog, pg_temp
    as $$
    with recursive tree as (
        select r.oid, r.id from unnest($1, $2) r (oid, id)
        union
        select i.inhrelid, tree.id from tree join pg_inherits i on i.inhparent = tree.oid
    ), ours as (
        select p.oid from pg_proc p join pg_namespace n on n.oid = p.pronamespace
        where n.nspname = 'tables' and p.proname = 'note_rows'
    ), lines as (
        select tree.id, concat_ws('/', c.oid, pg_relation_filenode(c.oid), t.oid, t.tgname, t.tgenabled, t.xmin,
            case when c.relpersistence = 'u' then pg_postmaster_start_time() end) as line
        from tree
        join pg_class c on c.oid = tree.oid and c.relkind in ('r', 'p')
        left join pg_trigger t on t.tgrelid = c.oid and t.tgfoid = (select oid from ours)
            and split_part(t.tgname, '_', 3) = tree.id::text
        union all  -- what computes a column that is not stored
        select tree.id, concat_ws('/', d.adrelid, d.adnum, d.xmin)
        from tree
        join pg_attribute a on a.attrelid = tree.oid and a.attgenerated <> ''
        join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    )
    select l.id, md5(string_agg(l.line, chr(10) order by l.line)) from lines l group by l.id
    $$;

revoke execute on function tables.watches(oid[], integer[]) from public;

grant execute on function tables.watches(oid[], integer[]) to quipu_app;
comment on function tables.watches(oid[], integer[]) is
    'Of tables, by their ids: what changes whenever rows of the table may have changed unseen.';

-- What tells whether the triggers of a table and of its partitions are as they were made, and its rows in the same
-- place: who disables a trigger, changes rows and enables it again leaves another version of its row; who has
-- a column rewritten, another file. A table without a log is empty after a crash.
create function tables.watch_of(relation oid, id integer) returns text
    language sql stable set search_path = pg_catalog, pg_temp
    as $$
    select w.watched from tables.watches(array[$1], array[$2]) w
    $$;

revoke execute on function tables.watch_of(oid, integer) from public;

grant execute on function tables.watch_of(oid, integer) to quipu_app;
comment on function tables.watch_of(oid, integer) is 'Changes whenever rows of the table may have changed unseen.';

-- Values are turned into text by the output functions of their types and by nothing else: a cast may be a function
-- of the agent, and would run here with the rights of the owner.
create function tables.note_rows() returns trigger
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set row_security = on
    as $$
declare
    r tables.relations;
    keyed text;
    shown text;
    fields text[];
    written text;
begin
    select * into r from tables.relations
    where space_id = tg_argv[0]::integer and schema_id = tg_argv[1]::integer and id = tg_argv[2]::integer;
    if r.id is null then
        return null;
    end if;
    select case count(*) when 0 then null
            when 1 then min(format('format(''%%s'', x.%I)', a.attname))
            else 'jsonb_build_array(' || string_agg(format('format(''%%s'', x.%I)', a.attname), ', ' order by k.place) || ')::text'
        end
    into keyed
    from pg_index i
    cross join lateral unnest(i.indkey::int2[]) with ordinality k (num, place)
    join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.num
    where i.indrelid = r.relation and i.indisprimary;
    select array_agg(format('x.%I', a.attname)) into fields
    from pg_attribute a
    where a.attrelid = tg_relid and a.attname = any(r.fields) and a.attnum > 0 and not a.attisdropped;
    if lower(tg_op) = 'truncate' or keyed is null or cardinality(fields) is distinct from cardinality(r.fields) then
        insert into tables.dirty_rows (space_id, schema_id, relation_id) values (r.space_id, r.schema_id, r.id);
        return null;
    end if;
    shown := array_to_string(array(select format('format(''%%s'', %s)', f) from unnest(fields) f), ', ');
    written := case lower(tg_op)
        when 'insert' then format('select %s as key from new_rows x where concat(%s) <> ''''', keyed, array_to_string(fields, ', '))
        when 'delete' then format('select %s as key from old_rows x where concat(%s) <> ''''', keyed, array_to_string(fields, ', '))
        else format(
            '(select %1$s as key, %2$s from old_rows x except select %1$s, %2$s from new_rows x)'
            ' union (select %1$s, %2$s from new_rows x except select %1$s, %2$s from old_rows x)', keyed, shown)
    end;
    execute format(
        'insert into tables.dirty_rows (space_id, schema_id, relation_id, source_id)'
        ' select distinct $1, $2, $3, y.key from (%s) y', written)
    using r.space_id, r.schema_id, r.id;
    return null;
end
$$;

revoke execute on function tables.note_rows() from public;
comment on function tables.note_rows() is 'Writes down which rows a statement changed.';

-- The tables of agents are known by their oids, and a dump that is read into another server gives each a new one;
-- the old number may even be that of another table there. So before a schema is followed its tables are looked for
-- by name, where the number does not lead to a table of that name. A rename is no such case: tables.settle() notes
-- it in the same transaction.
create function tables.find_again(in_schema integer) returns integer
    language plpgsql volatile set search_path = pg_catalog, pg_temp
    as $$
declare
    here constant integer := core.current_space();
    lost constant integer[] := array(
        select r.id
        from tables.relations r
        join tables.schemas s on s.space_id = r.space_id and s.id = r.schema_id
        join pg_namespace n on n.nspname = s.schema_name
        join pg_class there on there.relnamespace = n.oid and there.relname = r.table_name
            and there.relkind in ('r', 'p')
        left join pg_class c on c.oid = r.relation and c.relnamespace = n.oid and c.relname = r.table_name
        where r.space_id = here and r.schema_id = in_schema and c.oid is null);
begin
    -- First out of the way: the new number of one may be the old one of another.
    update tables.relations set relation = (4294967295 - id)::oid
    where space_id = here and schema_id = in_schema and id = any(lost);
    update tables.relations r
    set relation = c.oid,
        columns = (
            select coalesce(jsonb_object_agg(a.attnum, a.attname), '{}')
            from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped)
    from tables.schemas s
    join pg_namespace n on n.nspname = s.schema_name
    join pg_class c on c.relnamespace = n.oid
    where r.space_id = here and r.schema_id = in_schema and r.id = any(lost)
        and s.space_id = r.space_id and s.id = r.schema_id
        and c.relname = r.table_name and c.relkind in ('r', 'p');
    return cardinality(lost);
end
$$;

revoke execute on function tables.find_again(integer) from public;
comment on function tables.find_again(integer) is
    'Corrects the oids of the tables of a schema after a dump was read in; returns how many were wrong.';

-- Watches the tables of a schema that have fields to embed, and no others. Where something was not as it had been
-- made, it is made again, and all rows are looked at.
-- Of two that have a table watched at the same moment, who comes second looks again when the first is done, and does not
-- make the triggers again that are there. Beside a load it is the load that goes on.
create function tables.watch_found(in_schema integer) returns integer
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set row_security = on
        set lock_timeout = '2s'
    as $$
declare
    r record;
    part record;
    here constant integer := core.current_space();
    looked integer := 0;
begin
    for r in
        with seen as (
            select rel.id, rel.relation, rel.watched, rel.fields <> '{}' and rel.key <> '{}' as wanted
            from tables.relations rel
            join pg_class c on c.oid = rel.relation
            where rel.space_id = here and rel.schema_id = in_schema
        )
        select seen.id, seen.relation, seen.watched, seen.wanted
        from seen
        left join tables.watches(array(select relation from seen where wanted order by id),
            array(select id from seen where wanted order by id)) w on w.id = seen.id
        where seen.watched is distinct from w.watched
    loop
        looked := looked + 1;
        begin
            -- The table first, then what is written down of it, as whoever changes the structure has them.
            execute format('lock table %s in share row exclusive mode', r.relation::regclass);
            insert into tables.dirty_rows (space_id, schema_id, relation_id) values (here, in_schema, r.id);
            perform from tables.relations
            where space_id = here and schema_id = in_schema and id = r.id and watched is not distinct from r.watched
            for update;
            continue when not found;  -- somebody else did it meanwhile
            for part in
                with recursive tree as (
                    select r.relation as oid
                    union
                    select i.inhrelid from tree join pg_inherits i on i.inhparent = tree.oid
                )
                select c.oid::regclass as name, array(
                        select t.tgname from pg_trigger t
                        where t.tgrelid = c.oid and t.tgfoid = 'tables.note_rows()'::regprocedure
                            and t.tgname ~ ('^quipu_[a-z]+_' || r.id || '$')) as triggers
                from tree
                join pg_class c on c.oid = tree.oid and c.relkind in ('r', 'p')
            loop
                for i in 1 .. cardinality(part.triggers) loop
                    execute format('drop trigger %I on %s', part.triggers[i], part.name);
                end loop;
                continue when not r.wanted;
                execute format('create trigger quipu_inserted_%s after insert on %s referencing new table as new_rows'
                    ' for each statement execute function tables.note_rows(%s, %s, %s)', r.id, part.name, here, in_schema, r.id);
                execute format('create trigger quipu_updated_%s after update on %s referencing old table as old_rows'
                    ' new table as new_rows'
                    ' for each statement execute function tables.note_rows(%s, %s, %s)', r.id, part.name, here, in_schema, r.id);
                execute format('create trigger quipu_deleted_%s after delete on %s referencing old table as old_rows'
                    ' for each statement execute function tables.note_rows(%s, %s, %s)', r.id, part.name, here, in_schema, r.id);
                execute format('create trigger quipu_truncated_%s after truncate on %s'
                    ' for each statement execute function tables.note_rows(%s, %s, %s)', r.id, part.name, here, in_schema, r.id);
            end loop;
            update tables.relations set watched = case when r.wanted then tables.watch_of(r.relation, r.id) end
            where space_id = here and schema_id = in_schema and id = r.id;
        exception when lock_not_available or deadlock_detected or undefined_table then
            null;  -- somebody is at work there: its rows are not shown until the next time
        end;
    end loop;
    return looked;
end
$$;

revoke execute on function tables.watch_found(integer) from public;
comment on function tables.watch_found(integer) is
    'Has changes of the rows of a schema written down; returns how many tables must be looked at as a whole.';

create function tables.watch(in_schema integer) returns integer
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set row_security = on
        set lock_timeout = '2s'
    as $$
begin
    perform tables.find_again(in_schema);
    return tables.watch_found(in_schema);
end
$$;

revoke execute on function tables.watch(integer) from public;

grant execute on function tables.watch(integer) to quipu_app;
comment on function tables.watch(integer) is
    'Has changes of the rows of a schema written down; returns how many tables must be looked at as a whole.';

-- The structure changed (tables.settle): all rows of the table are to be looked at. A space that has such tables
-- keeps its bit in unindexed: its rows change where no transaction of ours tells of it.
create function tables.follow_structure() returns trigger
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set row_security = on
    as $$
declare
    r constant tables.relations := coalesce(new, old);
    entered constant text := coalesce(current_setting('quipu.space', true), '');
begin
    if not exists (select from tables.schemas s where s.space_id = r.space_id and s.id = r.schema_id) then
        return null;
    end if;
    if lower(tg_op) <> 'insert' or r.fields <> '{}' then
        insert into tables.dirty_rows (space_id, schema_id, relation_id) values (r.space_id, r.schema_id, r.id);
    end if;
    if r.fields <> '{}' then
        perform set_config('quipu.space', (select name from core.spaces where id = r.space_id), true);
        update core.spaces set unindexed = unindexed | 32 where id = r.space_id and unindexed & 32 = 0;
        perform set_config('quipu.space', entered, true);
    end if;
    return null;
end
$$;

revoke execute on function tables.follow_structure() from public;

create trigger follow_structure after insert or delete or update of relation, table_name, columns, key, fields
    on tables.relations for each row execute function tables.follow_structure();

-- With a schema its entries go. Where the whole space goes, they go with that.
create function tables.take_out_schema() returns trigger
    language plpgsql volatile set search_path = pg_catalog, pg_temp
    as $$
declare
    gone bigint[];
begin
    if old.space_id = core.current_space() then
        select array_agg(entry_id order by entry_id) into gone
        from tables.embeddings where space_id = old.space_id and schema_id = old.id;
        if gone is not null then
            perform core.take_out(gone), core.recount_space();
        end if;
    end if;
    return old;
end
$$;

revoke execute on function tables.take_out_schema() from public;

create trigger take_out_schema before delete on tables.schemas
    for each row execute function tables.take_out_schema();

-- What is written to embeddings has its row looked at again: the vectors of a row say what the row says.
create function tables.write_embedding() returns trigger
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set row_security = on
    as $$
declare
    s tables.schemas;
    r tables.relations;
begin
    select * into s from tables.schemas where space_id = tg_argv[0]::integer and id = tg_argv[1]::integer;
    select * into r from tables.relations t
    where t.space_id = s.space_id and t.schema_id = s.id and t.table_name = new.source_table;
    if r.id is null or new.source_id is null or new.field_name <> all (r.fields) is not false then
        raise exception '%.% is not embedded', new.source_table, new.field_name
            using errcode = 'check_violation', hint = format(
                'Embeddings are made of rows. Have the field embedded: update schema_registry set'
                ' embeddable_fields = embeddable_fields || ''%s'' where table_name = ''%s''',
                coalesce(new.field_name, 'field'), coalesce(new.source_table, 'table'));
    end if;
    insert into tables.dirty_rows (space_id, schema_id, relation_id, source_id)
    values (s.space_id, s.id, r.id, new.source_id);
    if lower(tg_op) = 'update' and (old.source_table, old.source_id) is distinct from (new.source_table, new.source_id) then
        insert into tables.dirty_rows (space_id, schema_id, relation_id, source_id)
        select s.space_id, s.id, t.id, old.source_id from tables.relations t
        where t.space_id = s.space_id and t.schema_id = s.id and t.table_name = old.source_table;
    end if;
    return new;
end
$$;

revoke execute on function tables.write_embedding() from public;
comment on function tables.write_embedding() is 'Has the index look at the row that an embedding was written for.';

-- The view embeddings of a schema. The barrier keeps what an agent writes in its conditions away from rows that
-- are not its own; the names of space and schema are in its text, where no setting reaches them.
-- The rows of embeddings come from the tables, so that conditions reach their indexes. LOCK TABLE asks for
-- rights on the whole view and never on columns; INSERT and UPDATE are content with columns. So whoever writes has
-- rights on its columns, and none on the view but SELECT. SELECT … FOR UPDATE is content with columns as well: it
-- does not reach into a common table expression, so it locks no row.
create function tables.furnish_embeddings(made integer) returns void
    language plpgsql volatile
    as $$
declare
    s tables.schemas;
begin
    select * into strict s from tables.schemas where id = made;
    insert into tables.following (space_id, schema_id) values (s.space_id, s.id) on conflict do nothing;
    execute format($x$
        create or replace view %1$I.embeddings with (security_barrier) as
        with shown as not materialized (
            select m.id, r.table_name as source_table, m.source_id, m.field_name, m.chunk_index, e.content,
                m.content_hash, v.context as embedding, m.created_at, m.updated_at
            from tables.embeddings m
            join tables.relations r on r.space_id = m.space_id and r.schema_id = m.schema_id and r.id = m.relation_id
            left join core.recall_entries e on e.space_id = %2$s and e.id = m.entry_id
            left join core.recall_vectors v on v.space_id = %2$s and v.entry_id = m.entry_id
                and v.generation = (select p.generation from core.spaces p where p.id = %2$s)
            where m.space_id = %2$s and m.schema_id = %3$s
                and (
                    not (select exists (select from tables.dirty_rows d where d.space_id = %2$s and d.schema_id = %3$s))
                    or not exists (
                        select from tables.dirty_rows d
                        where d.space_id = %2$s and d.schema_id = %3$s and d.relation_id = m.relation_id
                            and (hashtextextended(d.source_id, 0) is null
                                or hashtextextended(d.source_id, 0) = hashtextextended(m.source_id, 0)
                                    and d.source_id = m.source_id)))
        )
        select * from shown
        $x$, s.schema_name, s.space_id, s.id);
    execute format('comment on view %I.embeddings is %L', s.schema_name,
        'The vectors of embedded fields. They follow the rows by themselves.');
    execute format('create or replace trigger write_embedding instead of insert or update on %I.embeddings'
        ' for each row execute function tables.write_embedding(%s, %s)', s.schema_name, s.space_id, s.id);
    execute format('revoke all on %I.embeddings from %I, %I', s.schema_name, s.writer, s.reader);
    execute format('grant select on %I.embeddings to %I, %I', s.schema_name, s.writer, s.reader);
    execute format($x$
        grant
            insert (id, source_table, source_id, field_name, chunk_index, content, content_hash, embedding, created_at,
                updated_at),
            update (id, source_table, source_id, field_name, chunk_index, content, content_hash, embedding, created_at,
                updated_at)
        on %I.embeddings to %I
        $x$, s.schema_name, s.writer);
end
$$;

revoke execute on function tables.furnish_embeddings(integer) from public;
comment on function tables.furnish_embeddings(integer) is 'Makes the view embeddings of the schema of that id.';

-- Vectors that came out of a snapshot, for rows that are put back: the index takes them where a text is the same.
create table tables.kept_vectors (
    space_id integer not null default core.current_space(),
    schema_id integer not null,
    content_hash varchar(64) not null,
    generation smallint not null,
    vector halfvec not null,
    primary key (space_id, schema_id, generation, content_hash),
    foreign key (space_id, schema_id) references tables.schemas (space_id, id) on delete cascade
);
comment on table tables.kept_vectors is 'Of a snapshot that was restored, until the index has followed its rows.';

call core.keep_in_space('tables', array['kept_vectors'], rights => 'select, insert, delete', engine => true);

create function tables.is_own(in_table text) returns boolean
    language sql stable security definer set search_path = pg_catalog, pg_temp set row_security = on
    as $$
    select exists (
        select from tables.schemas s
        join pg_class c on c.relnamespace = to_regnamespace(quote_ident(s.schema_name)) and c.relname = in_table
            and c.relkind in ('r', 'p', 'f')
        where s.writer = session_user)
    $$;
comment on function tables.is_own(text) is 'Whether the writer who is logged in has a table of that name.';

-- EXPLAIN of a condition tells how many rows the planner takes it for. From what is in the tables of all spaces it
-- must not tell whether others have that name, that key or that text, nor when they wrote.
alter table tables.embeddings
    alter column source_id set statistics 0, alter column field_name set statistics 0,
    alter column content_hash set statistics 0, alter column field_hash set statistics 0,
    alter column created_at set statistics 0, alter column updated_at set statistics 0;

alter table tables.relations alter column table_name set statistics 0;
alter table tables.dirty_rows alter column source_id set statistics 0;
alter table core.recall_entries alter column content set statistics 0;

-- An agent owns its tables. What it does with that must not stop their upkeep, nor anybody else's: snapshots read all
-- of their rows, autovacuum runs none of its code, and a table that embeds takes rows.

-- ANALYZE computes the expressions of indexes and statistics, and no limit of time holds for autovacuum: two tables
-- with expressions that never end would take all its workers. VACUUM computes none, and goes on.
create function tables.keep_own() returns void
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set row_security = on
    as $$
declare
    own record;
begin
    for own in
        select c.oid::regclass as name, c.relforcerowsecurity as forced, c.relkind = 'S' as counts,
            not has_table_privilege(session_user, c.oid, 'select') as closed,
            c.relkind in ('r', 'm')
                and 'autovacuum_analyze_threshold=2147483647' <> all (coalesce(c.reloptions, '{}'))
                and (exists (select from pg_index i where i.indrelid = c.oid
                        and (i.indexprs is not null or i.indpred is not null))
                    or exists (select from pg_statistic_ext e where e.stxrelid = c.oid and e.stxexprs is not null))
                as computes
        from tables.schemas s
        join pg_class c on c.relnamespace = to_regnamespace(quote_ident(s.schema_name))
        where s.writer = session_user and pg_get_userbyid(c.relowner) = session_user
            and c.relkind in ('r', 'p', 'v', 'm', 'S')
    loop
        if own.forced then
            execute format('alter table %s no force row level security', own.name);
        end if;
        if own.closed then
            execute format('grant all on %s %s to %I', case when own.counts then 'sequence' else 'table' end,
                own.name, session_user);
        end if;
        if own.computes then
            execute format('alter table %s set (autovacuum_analyze_threshold = 2147483647,'
                ' autovacuum_analyze_scale_factor = 100)', own.name);
        end if;
    end loop;
end
$$;
comment on function tables.keep_own() is
    'Has whoever is logged in as a writer read all rows of its own tables, and autovacuum run no code of theirs.';

-- A trigger that compares rows of a statement cannot read what is computed when it is read.
create function tables.refuse_virtual() returns trigger
    language plpgsql volatile set search_path = pg_catalog, pg_temp
    as $$
declare
    computed text;
begin
    select a.attname into computed from pg_attribute a
    where a.attrelid = new.relation and a.attname = any(new.fields) and a.attgenerated = 'v' and not a.attisdropped;
    if computed is not null then
        raise exception '%.% is computed when it is read, and cannot be embedded', new.table_name, computed
            using errcode = 'check_violation',
                hint = 'Declare it GENERATED ALWAYS AS (…) STORED, or embed the columns that it is computed from.';
    end if;
    return new;
end
$$;

revoke execute on function tables.refuse_virtual() from public;

create trigger refuse_virtual before insert or update of fields, columns, relation on tables.relations
    for each row execute function tables.refuse_virtual();

-- A table is recreated with everything that the catalogue knows of it; the writer's login cannot read the catalogue.
create function tables.parts_of(in_relation oid)
    returns table (kind text, of text, name text, definition text, statement text)
    language sql stable set search_path = pg_catalog, public, pg_temp
    as $$
    with recursive resting (relation, depth) as (
        select in_relation, 0
        union
        select r.ev_class, s.depth + 1
        from resting s
        join pg_depend d on d.refclassid = 'pg_class'::regclass and d.refobjid = s.relation
            and d.classid = 'pg_rewrite'::regclass
        join pg_rewrite r on r.oid = d.objid
        join pg_class v on v.oid = r.ev_class and v.relkind in ('v', 'm')
        where r.ev_class <> s.relation and s.depth < 20
    ),
    relations as (
        select c.*, max(s.depth) as depth, c.oid::regclass::text as full_name,
            case c.relkind when 'v' then 'view' when 'm' then 'materialized view' else 'table' end as called
        from resting s join pg_class c on c.oid = s.relation
        group by c.oid
    ),
    -- What numbers a column belongs to it; a serial is written as one.
    sequences as (
        select p.refobjid as relation, p.refobjsubid as num, q.oid, q.relname, p.deptype = 'a' as is_serial
        from pg_depend p join pg_class q on q.oid = p.objid and q.relkind = 'S'
        where p.classid = 'pg_class'::regclass and p.refclassid = 'pg_class'::regclass
            and p.refobjid = in_relation and p.refobjsubid > 0 and p.deptype in ('a', 'i')
    ),
    columns as (
        select a.attnum, a.attname, a.attgenerated <> '' as is_computed,
            case when not coalesce(q.is_serial, false) then format_type(a.atttypid, a.atttypmod)
                when a.atttypid = 'bigint'::regtype then 'bigserial'
                when a.atttypid = 'smallint'::regtype then 'smallserial'
                else 'serial' end
            || case when l.oid is null then '' else ' collate ' || l.oid::regcollation::text end
            || case when a.attgenerated <> '' then ' generated always as (' || pg_get_expr(d.adbin, d.adrelid) || ')'
                    || case a.attgenerated when 's' then ' stored' else ' virtual' end
                when a.attidentity <> '' then
                    case a.attidentity when 'a' then ' generated always' else ' generated by default' end
                    || ' as identity' || case when n.seqstart = 1 and n.seqincrement = 1 and not n.seqcycle then ''
                        else format(' (start with %s increment by %s%s)', n.seqstart, n.seqincrement,
                            case when n.seqcycle then ' cycle' else '' end) end
                when d.oid is not null and not coalesce(q.is_serial, false)
                    then ' default ' || pg_get_expr(d.adbin, d.adrelid)
                else '' end
            || case when a.attnotnull and a.attidentity = '' and not coalesce(q.is_serial, false) then ' not null'
                else '' end as definition
        from pg_attribute a
        join pg_type t on t.oid = a.atttypid
        left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
        left join sequences q on q.num = a.attnum
        left join pg_sequence n on n.seqrelid = q.oid
        left join pg_collation l on l.oid = a.attcollation and a.attcollation <> t.typcollation
        where a.attrelid = in_relation and a.attnum > 0 and not a.attisdropped
    ),
    parts (place, kind, relation, of, name, definition, statement) as (
        -- What a CREATE TABLE says.
        select 1, case when is_computed then 'computed column' else 'column' end, in_relation, null, attname,
            definition, null
        from columns
        union all
        select 2, 'constraint', in_relation, case when k.confrelid = in_relation then in_relation::regclass::text end,
            k.conname, pg_get_constraintdef(k.oid), null
        from pg_constraint k where k.conrelid = in_relation and k.contype not in ('n', 't')
        union all
        select 3, 'setting', r.oid, null, split_part(o.option, '=', 1), o.option, null
        from relations r cross join unnest(r.reloptions) o (option)
        where r.oid = in_relation and o.option not in
            ('autovacuum_analyze_threshold=2147483647', 'autovacuum_analyze_scale_factor=100')
        union all
        select 3, 'setting', r.oid, null, 'persistence', 'unlogged', null
        from relations r where r.oid = in_relation and r.relpersistence = 'u'
        union all
        select 3, 'setting', in_relation, null, 'inherits ' || h.inhparent::regclass::text,
            'inherits ' || h.inhparent::regclass::text, null
        from pg_inherits h where h.inhrelid = in_relation
        union all
        -- What takes a name in the schema that the new table may want.
        select 4, 'name', in_relation, null, k.conname, 'constraint', null
        from pg_constraint k where k.conrelid = in_relation and k.contype <> 't'
        union all
        select 4, 'name', in_relation, null, c.relname, 'index', null
        from pg_index i join pg_class c on c.oid = i.indexrelid
        where i.indrelid = in_relation and not exists (
            select from pg_constraint k where k.conindid = i.indexrelid and k.conrelid = i.indrelid)
        union all
        select 4, 'name', in_relation,
            case when q.is_serial and q.relname <> concat(r.relname, '_', c.attname, '_seq') then c.attname end,
            q.relname, 'sequence', null
        from sequences q join columns c on c.attnum = q.num join relations r on r.oid = q.relation
        union all
        select 5, 'shape', r.oid, null, w.words, null, null
        from relations r
        cross join lateral (values
            (r.relkind = 'p', 'it is partitioned'),
            (r.relispartition, 'it is a partition'),
            (r.reloftype <> 0, 'it is made of a type')) w (so, words)
        where r.oid = in_relation and w.so
        union all
        -- What does not let it go: it is neither part of it nor made again.
        select distinct 5, 'dependant', in_relation, null, pg_describe_object(d.classid, d.objid, d.objsubid), null,
            null
        from relations r
        left join pg_type t on t.oid = r.reltype
        join pg_depend d on (d.refclassid, d.refobjid) in (('pg_class'::regclass, r.oid), ('pg_type'::regclass, t.oid),
            ('pg_type'::regclass, t.typarray)) or d.refclassid = 'pg_class'::regclass
            and d.refobjid in (select q.oid from sequences q) and r.oid = in_relation
        where not (d.classid = 'pg_class'::regclass
                and (d.objid in (select oid from relations)
                    or d.objid in (select indexrelid from pg_index where indrelid in (select oid from relations))
                    or d.objid in (select oid from sequences) or d.deptype = 'i'))
            and not (d.classid = 'pg_attrdef'::regclass and d.objid in (
                select oid from pg_attrdef where adrelid = in_relation))
            and not (d.classid = 'pg_constraint'::regclass and exists (
                select from pg_constraint k where k.oid = d.objid
                    and (k.conrelid in (select oid from relations) or k.contype = 'f' and k.confrelid = in_relation)))
            and not (d.classid = 'pg_trigger'::regclass and exists (
                select from pg_trigger t where t.oid = d.objid
                    and (t.tgisinternal or t.tgrelid in (select oid from relations))))
            and not (d.classid = 'pg_policy'::regclass and exists (
                select from pg_policy p where p.oid = d.objid and p.polrelid in (select oid from relations)))
            and not (d.classid = 'pg_rewrite'::regclass and exists (
                select from pg_rewrite u where u.oid = d.objid and u.ev_class in (select oid from relations)))
            and not (d.classid = 'pg_statistic_ext'::regclass and exists (
                select from pg_statistic_ext e where e.oid = d.objid and e.stxrelid in (select oid from relations)))
            and not (d.classid = 'pg_type'::regclass and d.deptype = 'i')
        union all
        -- What hangs on it or on its views, in the order in which it is made again.
        select 11, r.called, r.oid, null, r.full_name, null, format('create %s %s%s as %s', r.called, r.full_name,
            coalesce(' with (' || array_to_string(r.reloptions, ', ') || ')', ''), rtrim(pg_get_viewdef(r.oid), ';'))
            || case when r.relispopulated then '' else ' with no data' end
        from relations r where r.oid <> in_relation
        union all
        select 12, 'index', i.indrelid, r.full_name, c.relname, null, pg_get_indexdef(i.indexrelid)
        from relations r join pg_index i on i.indrelid = r.oid join pg_class c on c.oid = i.indexrelid
        where not exists (
            select from pg_constraint k where k.conindid = i.indexrelid and k.conrelid = i.indrelid)
        union all
        select 12, 'clustering by index', r.oid, r.full_name, c.relname, null,
            format('alter %s %s cluster on %I', r.called, r.full_name, c.relname)
        from relations r join pg_index i on i.indrelid = r.oid and i.indisclustered
        join pg_class c on c.oid = i.indexrelid
        union all
        select 12, 'replica identity', r.oid, r.full_name, r.relname, null,
            format('alter table %s replica identity %s', r.full_name, case r.relreplident when 'f' then 'full'
                when 'n' then 'nothing' else format('using index %I', c.relname) end)
        from relations r
        left join pg_index i on i.indrelid = r.oid and i.indisreplident
        left join pg_class c on c.oid = i.indexrelid
        where r.relkind = 'r' and r.relreplident <> 'd'
        union all
        select 13, w.kind || ' of column', r.oid, r.full_name, a.attname, null,
            format('alter table %s alter column %I set %s', r.full_name, a.attname, w.words)
        from relations r
        join pg_attribute a on a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped
        join pg_type t on t.oid = a.atttypid
        cross join lateral (values
            ('storage', 'storage ' || case a.attstorage when 'p' then 'plain' when 'e' then 'external'
                when 'm' then 'main' else 'extended' end, a.attstorage <> t.typstorage),
            ('compression', 'compression ' || case a.attcompression when 'l' then 'lz4' else 'pglz' end,
                a.attcompression <> ''),
            ('statistics', 'statistics ' || a.attstattarget, coalesce(a.attstattarget, -1) >= 0),
            ('options', '(' || array_to_string(a.attoptions, ', ') || ')', a.attoptions is not null)
        ) w (kind, words, so)
        where r.relkind = 'r' and w.so
        union all
        select 13, 'reference', in_relation, k.conrelid::regclass::text, k.conname, pg_get_constraintdef(k.oid),
            format('alter table %s add constraint %I %s', k.conrelid::regclass, k.conname, pg_get_constraintdef(k.oid))
        from pg_constraint k
        where k.confrelid = in_relation and k.contype = 'f' and k.conrelid <> k.confrelid and k.conparentid = 0
        union all
        select 14, 'statistics', r.oid, r.full_name, e.stxname, null, pg_get_statisticsobjdef(e.oid)
        from relations r join pg_statistic_ext e on e.stxrelid = r.oid
        union all
        select 15, 'trigger', r.oid, r.full_name, t.tgname, null, pg_get_triggerdef(t.oid)
        from relations r join pg_trigger t on t.tgrelid = r.oid join pg_proc p on p.oid = t.tgfoid
        where not t.tgisinternal and pg_get_userbyid(p.proowner) <> 'quipu_owner'
        union all
        select 16, 'state of trigger', r.oid, r.full_name, t.tgname, null,
            format('alter table %s %s trigger %I', r.full_name, case t.tgenabled when 'D' then 'disable'
                when 'A' then 'enable always' else 'enable replica' end, t.tgname)
        from relations r join pg_trigger t on t.tgrelid = r.oid join pg_proc p on p.oid = t.tgfoid
        where not t.tgisinternal and pg_get_userbyid(p.proowner) <> 'quipu_owner' and t.tgenabled <> 'O'
        union all
        select 17, 'rule', r.oid, r.full_name, u.rulename, null, pg_get_ruledef(u.oid)
        from relations r join pg_rewrite u on u.ev_class = r.oid where u.rulename <> '_RETURN'
        union all
        select 18, 'state of rule', r.oid, r.full_name, u.rulename, null,
            format('alter table %s %s rule %I', r.full_name, case u.ev_enabled when 'D' then 'disable'
                when 'A' then 'enable always' else 'enable replica' end, u.rulename)
        from relations r join pg_rewrite u on u.ev_class = r.oid
        where u.rulename <> '_RETURN' and u.ev_enabled <> 'O'
        union all
        select 18, 'policy', r.oid, r.full_name, p.polname, null,
            format('create policy %I on %s as %s for %s to %s', p.polname, r.full_name,
                case when p.polpermissive then 'permissive' else 'restrictive' end,
                case p.polcmd when 'r' then 'select' when 'a' then 'insert' when 'w' then 'update'
                    when 'd' then 'delete' else 'all' end,
                (select string_agg(case when o.role = 0 then 'public' else o.role::regrole::text end, ', ')
                    from unnest(p.polroles) o (role)))
            || coalesce(' using (' || pg_get_expr(p.polqual, p.polrelid) || ')', '')
            || coalesce(' with check (' || pg_get_expr(p.polwithcheck, p.polrelid) || ')', '')
        from relations r join pg_policy p on p.polrelid = r.oid
        union all
        select 19, 'row level security', r.oid, r.full_name, w.word, null,
            format('alter table %s %s row level security', r.full_name, w.word)
        from relations r
        cross join lateral (values ('enable', r.relrowsecurity), ('force', r.relforcerowsecurity)) w (word, is_on)
        where w.is_on
        union all
        select 20, 'right', r.oid, r.full_name, x.privilege_type || ' for ' || g.grantee, null,
            format('grant %s on %s to %s', x.privilege_type, r.full_name, g.grantee)
        from relations r cross join aclexplode(r.relacl) x
        cross join lateral (
            select case when x.grantee = 0 then 'public' else x.grantee::regrole::text end as grantee) g
        where x.grantee <> r.relowner and (x.grantee = 0 or pg_get_userbyid(x.grantee) not like 'pg\_%')
        union all
        select 20, 'right to column', r.oid, r.full_name, a.attname, null,
            format('grant %s (%I) on %s to %s', x.privilege_type, a.attname, r.full_name, g.grantee)
        from relations r join pg_attribute a on a.attrelid = r.oid and a.attacl is not null
        cross join aclexplode(a.attacl) x
        cross join lateral (
            select case when x.grantee = 0 then 'public' else x.grantee::regrole::text end as grantee) g
        where x.grantee <> r.relowner
        union all
        select 21, 'comment of ' || o.called, r.oid, r.full_name, o.named, null,
            format('comment on %s is %L', o.written, e.description)
        from relations r
        cross join lateral (
            select 'pg_class'::regclass as class, r.oid as object, a.attnum as sub,
                case when a.attnum is null then r.called else 'column' end as called,
                case when a.attnum is null then r.full_name else a.attname end as named,
                case when a.attnum is null then r.called || ' ' || r.full_name
                    else format('column %s.%I', r.full_name, a.attname) end as written
            from (select null::int2 as attnum, null::name as attname
                union all select attnum, attname from pg_attribute
                where attrelid = r.oid and attnum > 0 and not attisdropped) a
            union all
            select 'pg_constraint'::regclass, k.oid, null, 'constraint', k.conname,
                format('constraint %I on %s', k.conname, r.full_name)
            from pg_constraint k where k.conrelid = r.oid
            union all
            select 'pg_class'::regclass, i.indexrelid, null, 'index', c.relname,
                'index ' || i.indexrelid::regclass::text
            from pg_index i join pg_class c on c.oid = i.indexrelid where i.indrelid = r.oid
            union all
            select 'pg_trigger'::regclass, t.oid, null, 'trigger', t.tgname,
                format('trigger %I on %s', t.tgname, r.full_name)
            from pg_trigger t where t.tgrelid = r.oid and not t.tgisinternal
            union all
            select 'pg_rewrite'::regclass, u.oid, null, 'rule', u.rulename,
                format('rule %I on %s', u.rulename, r.full_name)
            from pg_rewrite u where u.ev_class = r.oid and u.rulename <> '_RETURN'
            union all
            select 'pg_policy'::regclass, p.oid, null, 'policy', p.polname,
                format('policy %I on %s', p.polname, r.full_name)
            from pg_policy p where p.polrelid = r.oid
            union all
            select 'pg_statistic_ext'::regclass, s.oid, null, 'statistics', s.stxname,
                format('statistics %I.%I', s.stxnamespace::regnamespace, s.stxname)
            from pg_statistic_ext s where s.stxrelid = r.oid
        ) o
        join pg_description e on e.classoid = o.class and e.objoid = o.object and e.objsubid = coalesce(o.sub, 0)
    )
    select p.kind::text,
        case when p.relation <> in_relation or p.kind in ('reference', 'constraint', 'name') then p.of end, p.name::text,
        p.definition::text, p.statement::text
    from parts p join relations r on r.oid = p.relation
    order by r.depth, p.place, case when p.place = 1 then (
        select c.attnum from columns c where c.attname = p.name) end,
        p.kind = 'constraint' and p.definition like 'FOREIGN KEY%', p.name, p.of, p.statement
    $$;
comment on function tables.parts_of(oid) is
    'What the catalogue knows of a table: its definition, what hangs on it and on its views, in the order in which it is made again, and what does not let it go.';

revoke execute on function tables.parts_of(oid) from public;

grant execute on function tables.parts_of(oid) to quipu_app;

create function tables.own_parts(in_table text)
    returns table (kind text, of text, name text, definition text, statement text)
    language sql stable security definer set search_path = pg_catalog, public, pg_temp set row_security = on
    as $$
    select p.*
    from tables.schemas s
    join pg_class c on c.relnamespace = to_regnamespace(quote_ident(s.schema_name)) and c.relname = in_table
        and c.relkind in ('r', 'p')
    cross join lateral tables.parts_of(c.oid) p
    where s.writer = session_user
    $$;
comment on function tables.own_parts(text) is 'The parts of a table of the writer who is logged in.';

-- What a statement takes away is seen by comparing what there is before and after it, not by its words: also the rights
-- of others, row level security, and numbers that a sequence gave already.
create function tables.own_state()
    returns table (object text, state text, updated bigint, deleted bigint)
    language sql volatile security definer set search_path = pg_catalog, public, pg_temp set row_security = on
    as $$
    with own as (
        select n.oid as schema from tables.schemas s
        join pg_namespace n on n.nspname = s.schema_name
        where s.writer = session_user
    ),
    relations as (
        select c.* from own join pg_class c on c.relnamespace = own.schema
        where pg_get_userbyid(c.relowner) = session_user or c.relname = 'schema_registry'
    ),
    functions as (
        select p.* from own join pg_proc p on p.pronamespace = own.schema
        where pg_get_userbyid(p.proowner) = session_user
    ),
    types as (
        select t.* from own join pg_type t on t.typnamespace = own.schema
        where pg_get_userbyid(t.typowner) = session_user
    )
    select pg_describe_object('pg_class'::regclass, c.oid, 0),
        case when c.relkind = 'r' then c.relfilenode::text when c.relkind in ('v', 'm') then pg_get_viewdef(c.oid) end,
        coalesce(pg_stat_get_xact_tuples_updated(c.oid), 0), coalesce(pg_stat_get_xact_tuples_deleted(c.oid), 0)
    from relations c where c.relkind <> 't'
    union all
    select 'row level security of ' || pg_describe_object('pg_class'::regclass, c.oid, 0),
        concat_ws(' ', c.relrowsecurity, c.relforcerowsecurity), 0, 0
    from relations c where c.relkind in ('r', 'p')
    union all
    select 'replica identity of ' || pg_describe_object('pg_class'::regclass, c.oid, 0),
        concat_ws(' ', c.relreplident, (select i.indexrelid::regclass from pg_index i
            where i.indrelid = c.oid and i.indisreplident)), 0, 0
    from relations c where c.relkind in ('r', 'p')
    union all
    select 'options of ' || pg_describe_object('pg_class'::regclass, c.oid, 0), array_to_string(c.reloptions, ' '), 0, 0
    from relations c where c.relkind in ('r', 'p', 'v', 'm')
    union all
    select format('publication %s of %s', p.pubname, pg_describe_object('pg_class'::regclass, c.oid, 0)), null, 0, 0
    from relations c join pg_publication_rel r on r.prrelid = c.oid join pg_publication p on p.oid = r.prpubid
    union all
    -- A right that somebody has; what the engine gives again at the end of each call is none to lose.
    select format('right %s on %s of %s', lower(x.privilege_type), o.object,
        case when x.grantee = 0 then 'public' else pg_get_userbyid(x.grantee) end), null, 0, 0
    from (
        select pg_describe_object('pg_class'::regclass, c.oid, 0), c.relacl, c.relowner from relations c
        union all
        select pg_describe_object('pg_class'::regclass, c.oid, a.attnum), a.attacl, c.relowner
        from relations c join pg_attribute a on a.attrelid = c.oid and a.attacl is not null
        union all
        select pg_describe_object('pg_proc'::regclass, p.oid, 0),
            coalesce(p.proacl, acldefault('f', p.proowner)), p.proowner from functions p
        union all
        select pg_describe_object('pg_type'::regclass, t.oid, 0), coalesce(t.typacl, acldefault('T', t.typowner)), t.typowner
        from types t where t.typelem = 0 and t.typtype in ('e', 'd', 'r')
        union all
        select w.place || k.called, coalesce(d.defaclacl, case w.place when 'new ' then acldefault(k.type, r.oid) end), r.oid
        from own join pg_roles r on r.rolname = session_user
        cross join (values ('tables', 'r'::"char", 'r'::"char"), ('sequences', 'S', 's'), ('routines', 'f', 'f'),
            ('types', 'T', 'T')) k (called, code, type)
        cross join lateral (values ('new ', 0::oid), ('new own ', own.schema)) w (place, namespace)
        left join pg_default_acl d on d.defaclrole = r.oid and d.defaclnamespace = w.namespace
            and d.defaclobjtype = k.code
    ) o (object, acl, owner)
    cross join aclexplode(o.acl) x
    where x.grantee <> o.owner
    union all
    select 'numbering of ' || pg_describe_object('pg_class'::regclass, c.oid, 0),
        concat_ws(' ', q.seqstart, q.seqincrement, q.seqmin, q.seqmax, q.seqcycle, q.seqtypid), 0, 0
    from relations c join pg_sequence q on q.seqrelid = c.oid
    union all
    select 'number of ' || pg_describe_object('pg_class'::regclass, c.oid, 0),
        pg_sequence_last_value(c.oid) || ' ' || sign(q.seqincrement), 0, 0
    from relations c join pg_sequence q on q.seqrelid = c.oid where not q.seqcycle
    union all
    select pg_describe_object('pg_class'::regclass, c.oid, a.attnum),
        concat(format_type(a.atttypid, a.atttypmod), a.attidentity), 0, 0
    from relations c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relkind in ('r', 'p', 'c')
    union all
    select pg_describe_object('pg_attrdef'::regclass, d.oid, 0), pg_get_expr(d.adbin, d.adrelid), 0, 0
    from relations c join pg_attrdef d on d.adrelid = c.oid
    union all
    select pg_describe_object('pg_constraint'::regclass, k.oid, 0), pg_get_constraintdef(k.oid), 0, 0
    from own join pg_constraint k on k.connamespace = own.schema
    where pg_get_userbyid(coalesce((select relowner from pg_class where oid = nullif(k.conrelid, 0)),
        (select typowner from pg_type where oid = nullif(k.contypid, 0)))) = session_user
    union all
    select pg_describe_object('pg_trigger'::regclass, t.oid, 0), concat(pg_get_triggerdef(t.oid), t.tgenabled), 0, 0
    from relations c join pg_trigger t on t.tgrelid = c.oid join pg_proc p on p.oid = t.tgfoid
    where not t.tgisinternal and pg_get_userbyid(p.proowner) <> 'quipu_owner'
    union all
    select pg_describe_object('pg_rewrite'::regclass, r.oid, 0), concat(pg_get_ruledef(r.oid), r.ev_enabled), 0, 0
    from relations c join pg_rewrite r on r.ev_class = c.oid and r.rulename <> '_RETURN'
    union all
    select pg_describe_object('pg_policy'::regclass, p.oid, 0),
        concat(p.polcmd, p.polpermissive, array(select r.role::regrole::text from unnest(p.polroles) r (role) order by 1),
            pg_get_expr(p.polqual, p.polrelid), ' check ', pg_get_expr(p.polwithcheck, p.polrelid)), 0, 0
    from relations c join pg_policy p on p.polrelid = c.oid
    union all
    select pg_describe_object('pg_proc'::regclass, p.oid, 0),
        md5(concat(p.prosrc, pg_get_function_sqlbody(p.oid), p.prosecdef, p.proconfig, p.prolang, p.provolatile,
            p.proisstrict, p.proleakproof, p.proparallel)), 0, 0
    from functions p
    union all
    select pg_describe_object('pg_type'::regclass, t.oid, 0),
        t.typdefault, 0, 0
    from types t where t.typelem = 0 and t.typtype in ('e', 'd', 'r')
    union all
    select format('value %L of %s', e.enumlabel, pg_describe_object('pg_type'::regclass, t.oid, 0)), null, 0, 0
    from types t join pg_enum e on e.enumtypid = t.oid
    union all
    select pg_describe_object('pg_statistic_ext'::regclass, e.oid, 0), concat(pg_get_statisticsobjdef(e.oid), e.stxstattarget), 0, 0
    from own join pg_statistic_ext e on e.stxnamespace = own.schema where pg_get_userbyid(e.stxowner) = session_user
    union all
    select pg_describe_object('pg_operator'::regclass, o.oid, 0), null, 0, 0
    from own join pg_operator o on o.oprnamespace = own.schema where pg_get_userbyid(o.oprowner) = session_user
    union all
    select pg_describe_object(o.class, o.oid, 0), o.state, 0, 0
    from (
        select 'pg_cast'::regclass as class, k.oid, null as state from pg_cast k
        where k.castsource in (select oid from types) or k.casttarget in (select oid from types)
            or k.castfunc in (select oid from functions)
        union all
        select 'pg_ts_config'::regclass, f.oid, concat(f.cfgparser, (
                select string_agg(concat_ws(' ', m.maptokentype, m.mapseqno, m.mapdict), ',' order by 1)
                from pg_ts_config_map m where m.mapcfg = f.oid))
        from own join pg_ts_config f on f.cfgnamespace = own.schema
        union all
        select 'pg_ts_dict'::regclass, d.oid, concat(d.dicttemplate, ' ', d.dictinitoption) from own join pg_ts_dict d on d.dictnamespace = own.schema
        union all
        select 'pg_collation'::regclass, l.oid, null from own join pg_collation l on l.collnamespace = own.schema
        union all
        select 'pg_conversion'::regclass, v.oid, null from own join pg_conversion v on v.connamespace = own.schema
    ) o
    union all
    select format('part %s of %s', h.inhrelid::regclass, h.inhparent::regclass), null, 0, 0
    from relations c join pg_inherits h on h.inhparent = c.oid where c.relkind in ('r', 'p')
    union all
    select 'comment of ' || pg_describe_object(d.classoid, d.objoid, d.objsubid), md5(d.description), 0, 0
    from (
        select 'pg_class'::regclass::oid as class, oid from relations
        union all
        select 'pg_proc'::regclass, oid from functions
        union all
        select 'pg_type'::regclass, oid from types
        union all
        select 'pg_constraint'::regclass, k.oid from own join pg_constraint k on k.connamespace = own.schema
        union all
        select 'pg_trigger'::regclass, t.oid from relations c join pg_trigger t on t.tgrelid = c.oid
        union all
        select 'pg_rewrite'::regclass, r.oid from relations c join pg_rewrite r on r.ev_class = c.oid
        union all
        select 'pg_policy'::regclass, p.oid from relations c join pg_policy p on p.polrelid = c.oid
        union all
        select 'pg_statistic_ext'::regclass, e.oid from own join pg_statistic_ext e on e.stxnamespace = own.schema
        union all
        select 'pg_operator'::regclass, o.oid from own join pg_operator o on o.oprnamespace = own.schema
        union all
        select 'pg_ts_config'::regclass, f.oid from own join pg_ts_config f on f.cfgnamespace = own.schema
        union all
        select 'pg_ts_dict'::regclass, f.oid from own join pg_ts_dict f on f.dictnamespace = own.schema
        union all
        select 'pg_collation'::regclass, l.oid from own join pg_collation l on l.collnamespace = own.schema
    ) o join pg_description d on d.classoid = o.class and d.objoid = o.oid
    $$;
comment on function tables.own_state() is
    'Every object of the writer who is logged in, how it is defined, and how many of its rows this transaction updated and deleted.';

create function tables.is_taken(in_begin text) returns boolean
    language sql stable security definer set search_path = pg_catalog, pg_temp set row_security = on
    as $$
    select exists (
        select from tables.schemas s
        cross join lateral (
            select relname from pg_class where relnamespace = to_regnamespace(quote_ident(s.schema_name))
            union all
            select typname from pg_type where typnamespace = to_regnamespace(quote_ident(s.schema_name))
        ) t (name)
        where s.writer = session_user and starts_with(t.name, in_begin))
    $$;
comment on function tables.is_taken(text) is
    'Whether a name in the schema of the writer who is logged in begins so.';

create function tables.own_unkeyed() returns setof text
    language sql stable security definer set search_path = pg_catalog, pg_temp set row_security = on
    as $$
    select r.table_name
    from tables.schemas s
    join tables.relations r on r.space_id = s.space_id and r.schema_id = s.id
    where s.writer = session_user and r.fields <> '{}' and r.key = '{}'
    order by 1
    $$;
comment on function tables.own_unkeyed() is
    'Tables of the writer who is logged in that have fields to be embedded and no primary key, so that none is.';

-- What an agent's own SQL granted, so that a snapshot keeps it and a restore brings it back.

-- Each right once, whoever granted it: [who, role, number of the role, privilege, whether it may be passed on].
create function tables.told_rights(acl aclitem[], writer oid, reader oid) returns jsonb
    language sql stable set search_path = pg_catalog, pg_temp
    as $$
    select coalesce(jsonb_agg(jsonb_build_array(r.who, r.role, r.number, r.privilege, r.passed_on)
        order by r.who, r.role, r.privilege), '[]')
    from (
        select w.who, case when w.who = 'role' then pg_get_userbyid(x.grantee) else '' end as role,
            case when w.who = 'role' then x.grantee::bigint else 0 end as number,
            lower(x.privilege_type) as privilege, bool_or(x.is_grantable) as passed_on
        from aclexplode(case when cardinality(acl) > 0 then acl end) x  -- which refuses an empty one
        cross join lateral (select case x.grantee when 0 then 'public' when writer then 'writer'
            when reader then 'reader' else 'role' end as who) w
        group by 1, 2, 3, 4
    ) r
    $$;

revoke execute on function tables.told_rights(aclitem[], oid, oid) from public;

-- A restore tells of roles of policies, of publications and of what others made of the tables.
create function tables.own_rights()
    returns table (kind text, names text[], args text[], ahead text, called text, rights jsonb, usual jsonb)
    language sql stable security definer set search_path = pg_catalog, pg_temp set row_security = on
    as $$
    with own as (
        select s.schema_name, n.oid as schema, n.nspacl, n.nspowner, w.oid as writer, r.oid as reader
        from tables.schemas s
        join pg_namespace n on n.nspname = s.schema_name
        join pg_roles w on w.rolname = s.writer
        join pg_roles r on r.rolname = s.reader
        where s.writer = session_user
    ),
    relations as (
        select c.*, case c.relkind when 'S' then 'sequence' else 'table' end as called
        from own o join pg_class c on c.relnamespace = o.schema and c.relowner = o.writer
        where c.relkind in ('r', 'p', 'v', 'm', 'f', 'S')
    ),
    -- What the reader may read is given to it again at the end of each call, so it is usual of all relations.
    objects (kind, names, args, ahead, called, acl, usual, is_read) as (
        select c.called, array[c.relname::text], '{}'::text[], '', format('%s %I.%I', c.called, o.schema_name, c.relname),
            c.relacl, acldefault(case c.relkind when 'S' then 's' else 'r' end::"char", c.relowner), true
        from own o cross join relations c
        union all
        select 'column', array[c.relname::text, a.attname::text], '{}', '', format('table %I.%I', o.schema_name, c.relname),
            a.attacl, '{}', false
        from own o cross join relations c
        join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        where c.relkind <> 'S'
        union all
        select 'routine', array[p.proname::text], array(
                select format_type(t.type, null) from unnest(p.proargtypes) with ordinality t (type, place)
                order by t.place),
            '', format('routine %I.%I(%s)', o.schema_name, p.proname, pg_get_function_identity_arguments(p.oid)),
            p.proacl, acldefault('f', p.proowner), false
        from own o join pg_proc p on p.pronamespace = o.schema and p.proowner = o.writer
        union all
        select 'type', array[t.typname::text], '{}', '', format('type %I.%I', o.schema_name, t.typname),
            t.typacl, acldefault('T', t.typowner), false
        from own o join pg_type t on t.typnamespace = o.schema and t.typowner = o.writer
        left join pg_class c on c.oid = t.typrelid
        where t.typtype in ('e', 'd', 'r', 'c') and coalesce(c.relkind, 'c') = 'c'
        union all
        select 'default', array[w.place, k.called], '{}',
            'alter default privileges ' || case w.place when '' then '' else format('in schema %I ', o.schema_name) end,
            k.called, d.defaclacl, case w.place when '' then acldefault(k.type, o.writer) else '{}' end,
            w.place <> '' and k.called in ('tables', 'sequences')
        from own o
        cross join (values ('tables', 'r'::"char", 'r'::"char"), ('sequences', 'S', 's'), ('routines', 'f', 'f'),
            ('types', 'T', 'T')) k (called, code, type)
        cross join lateral (values ('', 0::oid), ('schema', o.schema)) w (place, namespace)
        left join pg_default_acl d on d.defaclrole = o.writer and d.defaclnamespace = w.namespace
            and d.defaclobjtype = k.code
        union all
        select 'schema', '{}', '{}', '', format('schema %I', o.schema_name), array(
            select x from unnest(o.nspacl) x, aclexplode(array[x]) e
            where e.grantee not in (o.nspowner, o.writer, o.reader)), '{}', false
        from own o
    )
    select b.kind, b.names, b.args, b.ahead, b.called, tables.told_rights(
            coalesce(b.acl, b.usual) || case when b.is_read then r.read end, o.writer, o.reader),
        tables.told_rights(b.usual || case when b.is_read then r.read end, o.writer, o.reader)
    from objects b cross join own o
    cross join lateral (select array[makeaclitem(o.reader, o.writer, 'select', false)] as read) r
    union all
    select 'policy', array[c.relname::text, p.polname::text], '{}', '', '', (
            select jsonb_agg(jsonb_build_array(w.who, case when w.who = 'role' then pg_get_userbyid(g.role) else '' end,
                case when w.who = 'role' then g.role::bigint else 0 end, 'policy', false) order by g.role)
            from unnest(p.polroles) g (role)
            cross join lateral (select case g.role when 0 then 'public' when o.writer then 'writer'
                when o.reader then 'reader' else 'role' end as who) w),
        '[["public", "", 0, "policy", false]]'
    from own o cross join relations c join pg_policy p on p.polrelid = c.oid
    union all
    -- What a publication has of the schema goes with it, and only the publication's owner gives it again.
    select k.kind, k.names, '{}', '', k.called, jsonb_agg(jsonb_build_array('publication', p.pubname, 0, 'publication', false)
        order by p.pubname), '[]'
    from (
        select 'published' as kind, array[c.relname::text] as names, '' as called, r.prpubid as publication
        from relations c join pg_publication_rel r on r.prrelid = c.oid
        union all
        select 'published', '{}', '', r.pnpubid from own o join pg_publication_namespace r on r.pnnspid = o.schema
    ) k
    join pg_publication p on p.oid = k.publication
    group by 1, 2, 5
    union all
    -- What somebody else made of it goes along as well.
    select distinct 'dependant', array[pg_describe_object('pg_class'::regclass, v.oid, 0)], '{}'::text[], '', '', '[]'::jsonb,
        '[]'::jsonb
    from own o cross join relations c
    join pg_depend d on d.refclassid = 'pg_class'::regclass and d.refobjid = c.oid and d.deptype = 'n'
    left join pg_rewrite u on d.classid = 'pg_rewrite'::regclass and u.oid = d.objid
    left join pg_constraint k on d.classid = 'pg_constraint'::regclass and k.oid = d.objid and k.contype = 'f'
    join pg_class v on v.oid = coalesce(u.ev_class, k.conrelid) and v.relnamespace <> o.schema
    $$;
comment on function tables.own_rights() is
    'What roles may do with the objects of the writer that is logged in, beside what is usual of each.';

reset role;
