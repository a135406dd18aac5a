-- The ground floor: extensions, roles, spaces, and the setting that row level security reads.
create extension if not exists vector;
create extension if not exists pg_trgm;
create extension if not exists pgcrypto;

-- A role without a login, which whoever runs the migrations may use. Roles are of the server: another database may have
-- made it.
create procedure core.have_role(role text)
    language plpgsql
    as $$
begin
    if not exists (select from pg_roles where rolname = role) then
        execute format('create role %I nologin', role);
    end if;
    if not pg_has_role(current_user, role, 'usage') then
        execute format('grant %I to %I', role, current_user);
    end if;
end
$$;

call core.have_role('quipu_owner');
call core.have_role('quipu_app');
call core.have_role('quipu_person');

do $$ begin execute format('grant create on database %I to quipu_owner', current_database()); end $$;

alter schema core owner to quipu_owner;
alter table core.migrations owner to quipu_owner;
alter procedure core.have_role(text) owner to quipu_owner;

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
    created_at timestamptz not null default now(),
    generation smallint,
    unindexed integer not null default 0,
    -- gen_random_uuid draws from the operating system, 122 bits each; a default that is volatile is drawn for each row.
    mark_key bytea not null default sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))
        check (octet_length(mark_key) = 32)
) with (fillfactor = 50);
comment on column core.spaces.version is 'Counts the writes; entries carry the version they were written in.';
comment on column core.spaces.epoch is 'Counts the erasures; whoever holds a copy of the space drops it when this changes.';
comment on column core.spaces.generation is
    'core.recall_generations.id of the vectors that are searched here; null before the first entry.';
comment on column core.spaces.unindexed is 'Kinds that wrote since they were last filed: the bit 1 << (code - 1) of core.recall_kinds.';
comment on column core.spaces.mark_key is
    'The secret of the space by which memory that was put into a prompt is recognised. No view shows it.';

create function core.current_space() returns integer
    language sql stable parallel safe
    return nullif(current_setting('quipu.space_id', true), '')::integer;
comment on function core.current_space() is 'The space of this transaction, or null: then row level security shows nothing.';

-- Each row of these tables belongs to a space; who entered another sees none of it. ``rights``: what quipu_app may do.
-- ``engine``: what runs as the owner sees the rows of all spaces.
create procedure core.keep_in_space(place text, tables text[], rights text default 'select, insert, update, delete',
    engine boolean default false)
    language plpgsql
    as $$
declare
    t text;
begin
    foreach t in array tables loop
        execute format('alter table %I.%I enable row level security', place, t);
        execute format('alter table %I.%I force row level security', place, t);
        execute format('create policy own_space on %I.%I using (space_id = (select core.current_space()))', place, t);
        if rights is not null then
            execute format('grant %s on %I.%I to quipu_app', rights, place, t);
        end if;
        if engine then
            execute format('create policy engine on %I.%I to quipu_owner using (true)', place, t);
        end if;
    end loop;
end
$$;

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
create policy arriving on core.spaces for update to quipu_owner using (true);

grant select, insert, update, delete on core.spaces to quipu_app;

-- Spaces that went to another database.
create table core.moved_spaces (
    space text primary key check (char_length(space) between 1 and 512),
    database text not null,
    moved_at timestamptz not null default now()
);
comment on table core.moved_spaces is 'Of no space: spaces that were here, and the name of the database where they went.';

create function core.moved_to(wanted text) returns text
    language sql stable security definer set search_path = ''
    as $$ select database from core.moved_spaces where space = wanted $$;
comment on function core.moved_to(text) is 'The database to which a space went from here; null: it did not.';

create function core.note_moved(gone text, home text) returns void
    language sql volatile security definer set search_path = ''
    as $$
    insert into core.moved_spaces (space, database) values (gone, home)
    on conflict (space) do update set database = excluded.database, moved_at = now()
    $$;
comment on function core.note_moved(text, text) is 'Says to whoever looks for a space here that it is in another database.';

create function core.note_arrived(come text, number integer) returns void
    language plpgsql volatile security definer set search_path = ''
    as $$
begin
    delete from core.moved_spaces where space = come;
    update core.spaces set name = come where id = number;
end
$$;
comment on function core.note_arrived(text, integer) is
    'Gives a space that has come from elsewhere its name, by which it is found here from now on; null: it is gone.';

revoke execute on function core.moved_to(text), core.note_moved(text, text), core.note_arrived(text, integer) from public;
grant execute on function core.moved_to(text), core.note_moved(text, text), core.note_arrived(text, integer) to quipu_app;

-- What is set for every process of this database, and for a space over that. Which settings there are, and
-- what they can be, the code knows: a value whose name it does not know stays and is not used.
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

call core.keep_in_space('core', array['space_settings']);

grant select on core.settings to quipu_app;

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

-- What PostgreSQL lets everybody do in a database, and what SQL of agents and readers must not do: know of what
-- belongs to other spaces, count it, measure it, or hold a lock that others wait for. Their logins have few
-- rights of their own, so what is taken from PUBLIC is taken from them.
--
-- It takes a superuser, and it changes what others in the same database may. The embedded database is ours alone;
-- elsewhere an administrator decides. See docs/decisions/security.md.

-- Functions that look at their arguments and at nothing else are harmless, and so are operators, conversions and
-- aggregates. Of the rest (stable and volatile ones), those that are named here. What a later PostgreSQL adds is
-- closed until somebody has looked at it. Of pg_trgm agents need what compares two texts, of pgcrypto nothing. What
-- reads a type from text and writes it is harmless, also where it names a number or a C string among its arguments:
-- else a comparison with '2026-01-01'::text::date is refused.
create function core.open_rights() returns table (granted text)
    language sql stable set search_path = pg_catalog, pg_temp
    as $$
    select format('%s on table %I.%I', string_agg(distinct a.privilege_type, ', '), n.nspname, c.relname)
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    cross join lateral aclexplode(c.relacl) a
    where a.grantee in (0, coalesce(to_regrole('quipu_see'), 0))
        and n.nspname in ('pg_catalog', 'information_schema')
    group by n.nspname, c.relname
    union all
    select format('%s (%I) on table %I.%I', a.privilege_type, t.attname, n.nspname, c.relname)
    from pg_attribute t
    join pg_class c on c.oid = t.attrelid
    join pg_namespace n on n.oid = c.relnamespace
    cross join lateral aclexplode(t.attacl) a
    where a.grantee = 0 and n.nspname in ('pg_catalog', 'information_schema')
    union all
    select format('execute on %s %s', case p.prokind when 'p' then 'procedure' else 'function' end,
        p.oid::regprocedure)
    from pg_proc p
    cross join lateral (
        select case
            when p.proname in ('makeaclitem', 'acldefault', 'aclcontains', 'aclinsert', 'aclremove', 'aclitemeq',
                'hash_aclitem', 'hash_aclitem_extended') then false  -- they tell names of roles
            -- they look at tables by number
            when p.proname in ('satisfies_hash_partition', 'pg_partition_root') then false
            when p.provolatile = 'i' then true
            when p.prokind in ('a', 'w') then true
            when p.prorettype = 'trigger'::regtype or 'internal'::regtype = any(p.proargtypes::oid[]) then true
            when exists (select from pg_operator o where o.oprcode = p.oid) then true
            when exists (select from pg_cast c where c.castfunc = p.oid) then true
            when p.proname in ('nextval', 'setval', 'currval') then true  -- which ask for a right on the sequence
            -- How a type is read from text and written: a literal asks for no right on it, but a planner that
            -- guesses how many rows 'x'::text::date finds does.
            when p.proname in ('enum_in', 'enum_out') or exists (
                select from pg_type y
                where p.oid in (y.typinput, y.typoutput)
                    and y.typname not like 'reg%' and y.typname not in ('aclitem', 'pg_snapshot', 'txid_snapshot')
            ) then true
            when p.proargtypes::oid[] && array['oid', 'oidvector', 'xid', 'xid8', 'cid', 'tid', 'pg_lsn', 'cstring',
                'pg_snapshot', 'aclitem', 'aclitem[]', 'regclass', 'regproc', 'regprocedure', 'regtype', 'regrole',
                'regnamespace', 'regoper', 'regoperator', 'regcollation']::regtype[]::oid[] then false
            else p.proname = any(array[
                -- time
                'age', 'clock_timestamp', 'date_add', 'date_part', 'date_subtract', 'date_trunc', 'extract',
                'generate_series', 'make_timestamptz', 'now', 'overlaps', 'pg_sleep', 'pg_sleep_for',
                'pg_sleep_until', 'pg_timezone_abbrevs', 'pg_timezone_abbrevs_abbrevs', 'pg_timezone_abbrevs_zone',
                'pg_timezone_names', 'statement_timestamp', 'timeofday', 'timezone', 'to_char', 'to_date',
                'to_number', 'to_timestamp', 'transaction_timestamp',
                -- values
                'array_sample', 'array_shuffle', 'array_to_json', 'array_to_string', 'concat', 'concat_ws', 'convert',
                'convert_from', 'convert_to', 'enum_first', 'enum_last', 'enum_range', 'format', 'gen_random_uuid',
                'json_build_array', 'json_build_object', 'json_populate_record', 'json_populate_recordset',
                'json_strip_nulls', 'json_to_record', 'json_to_recordset', 'json_to_tsvector', 'jsonb_build_array',
                'jsonb_build_object', 'jsonb_path_exists_tz', 'jsonb_path_match_tz', 'jsonb_path_query_array_tz',
                'jsonb_path_query_first_tz', 'jsonb_path_query_tz', 'jsonb_populate_record',
                'jsonb_populate_record_valid', 'jsonb_populate_recordset', 'jsonb_strip_nulls', 'jsonb_to_record',
                'jsonb_to_recordset', 'jsonb_to_tsvector', 'length', 'pg_collation_for', 'pg_column_compression',
                'pg_column_size', 'pg_input_error_info', 'pg_input_is_valid', 'pg_typeof', 'quote_literal',
                'quote_nullable', 'random', 'random_normal', 'record_out', 'row_to_json', 'setseed', 'to_json', 'to_jsonb',
                'uuidv4', 'uuidv7', 'xml_is_well_formed',
                -- search in texts
                'get_current_ts_config', 'phraseto_tsquery', 'plainto_tsquery', 'to_tsquery', 'to_tsvector',
                'ts_headline', 'websearch_to_tsquery',
                -- oneself
                'current_database', 'current_query', 'current_schema', 'current_schemas', 'current_setting',
                'current_user', 'getdatabaseencoding', 'lastval', 'pg_backend_pid', 'pg_char_to_encoding',
                'pg_client_encoding', 'pg_current_xact_id', 'pg_encoding_to_char', 'pg_get_keywords',
                'pg_get_serial_sequence', 'pg_is_in_recovery', 'pg_trigger_depth', 'session_user', 'set_config', 'version'
                ])
        end as harmless
    ) h
    left join pg_depend d on d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e'
        and d.refclassid = 'pg_extension'::regclass
    left join pg_extension e on e.oid = d.refobjid
    where exists (
            select from aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a where a.grantee = 0)
        and case
            when p.pronamespace = 'pg_catalog'::regnamespace then not h.harmless
            when p.pronamespace = 'information_schema'::regnamespace then false
            when 'internal'::regtype = any(p.proargtypes::oid[]) then false
            when e.extname = 'pgcrypto' then true
            when e.extname = 'pg_trgm' then p.proname not in ('similarity', 'similarity_op', 'similarity_dist')
            else false
        end
    $$;
comment on function core.open_rights() is
    'What everybody may do in this database and SQL of agents and readers must not; none where it was hardened.';

create function core.harden() returns integer
    language plpgsql volatile set search_path = pg_catalog, pg_temp
    as $$
declare
    ours constant text := (
        select string_agg(quote_ident(rolname), ', ')
        from pg_roles where rolname in ('quipu_owner', 'quipu_app', 'quipu_relay'));
    others constant text := case when to_regrole('quipu_see') is null then 'public' else 'public, quipu_see' end;
    taken text;
    count integer := 0;
begin
    revoke create on schema public from public;
    perform core.equip_people();
    for taken in select granted from core.open_rights() loop
        execute format('grant %s to %s', taken, ours);
        execute format('revoke %s from %s', taken, others);
        count := count + 1;
    end loop;
    return count;
end
$$;

revoke execute on function core.open_rights(), core.harden() from public;
comment on function core.harden() is
    'Takes from PUBLIC what core.open_rights() lists and keeps it for our own roles; run by a superuser.';

reset role;

-- One person of a space: a transaction on behalf of a person has the role quipu_person, and sees what belongs to
-- that person alone. Each room says of its tables what that is, in restrictive policies for this role; what it
-- has no right on is closed to it. The role of the application is not touched by any of them.

set local role quipu_owner;

create function core.current_person() returns text
    language sql stable parallel safe
    return nullif(current_setting('quipu.person', true), '');
comment on function core.current_person() is
    'The person on whose behalf this transaction is; null: nobody''s, and then the role quipu_person sees nothing.';

grant usage on schema core to quipu_person;
grant select, insert, update on core.spaces to quipu_person;
grant select on core.settings, core.space_settings to quipu_person;
grant execute on function core.moved_to(text) to quipu_person;

-- Where a database is hardened, who works on behalf of a person still takes locks, rings for the workers, and sees
-- how far a server is with the log.
create function core.equip_people() returns void
    language sql volatile set search_path = pg_catalog, pg_temp
    as $$
    grant execute on function pg_advisory_xact_lock(bigint), pg_advisory_xact_lock_shared(bigint),
        pg_advisory_xact_lock(integer, integer), pg_advisory_xact_lock_shared(integer, integer),
        pg_notify(text, text), pg_control_system(), pg_control_checkpoint(), pg_walfile_name(pg_lsn),
        pg_current_wal_insert_lsn(), pg_current_wal_flush_lsn(), pg_last_wal_replay_lsn() to quipu_person
    $$;

revoke execute on function core.equip_people() from public;
comment on function core.equip_people() is
    'Gives quipu_person what it needs of what core.harden() takes from everybody; run by a superuser.';

-- What SQL writes to a view takes effect or is refused: a trigger of the view writes what it can, this one looks.

-- Arguments: the column by which the row is found again; a hint; columns that an insert may name in vain.
create function core.refuse_unwritten() returns trigger
    language plpgsql volatile set search_path = pg_catalog, pg_temp
    as $$
declare
    place constant text := format('%I.%I', tg_table_schema, tg_table_name);
    asked constant jsonb := to_jsonb(new);
    before constant jsonb := case lower(tg_op) when 'update' then to_jsonb(old) else '{}' end;
    here constant jsonb := coalesce(before -> 'space_id', to_jsonb(core.current_space()));
    shown jsonb;
    unwritten text;
begin
    execute format('select to_jsonb(v) from %s v where v.%I = %L and coalesce(to_jsonb(v) -> %L, $1) = $1', place,
            tg_argv[0], coalesce(before ->> tg_argv[0], asked ->> tg_argv[0]), 'space_id')
        into shown using here;
    select string_agg(a.key, ', ' order by a.key) into unwritten
    from jsonb_each(asked) a
    where a.value <> coalesce(before -> a.key, 'null')
        and case jsonb_typeof(a.value) when 'number'
            then abs(a.value::float8 - nullif(shown -> a.key, 'null')::float8) < 1e-9 end is not true
        and a.value is distinct from shown -> a.key
        and (lower(tg_op) = 'update' or a.key <> all(string_to_array(tg_argv[2], ', ')));
    if unwritten is not null then
        raise exception '% of % cannot be changed so', unwritten, place
            using errcode = 'feature_not_supported', hint = tg_argv[1];
    end if;
    return new;
end
$$;
comment on function core.refuse_unwritten() is
    'For a view, after the trigger that writes: refuses what the row does not show although it was asked for.';

-- Who writes by hand and has entered no space is told so, and how: not of a setting or a null that they do not know.
create function core.refuse_unentered() returns integer
    language plpgsql stable
    as $$
begin
    raise exception 'the space was not entered'
        using errcode = 'object_not_in_prerequisite_state',
            hint = 'Before it, in the same transaction: select core.enter(''NAME of the space'');';
end
$$;

create function core.entered() returns integer
    language sql stable
    return coalesce(core.current_space(), core.refuse_unentered());
comment on function core.entered() is 'The space of this transaction; without one an error that says how to enter one.';

-- A transaction of SQL may be left open for hours. It says so while it is, in the space whose rows it writes: a recall
-- that has something to file then waits for nothing.
create function core.write_by_hand(space integer) returns void
    language sql volatile
    as $$ select pg_advisory_xact_lock_shared(731200, space) $$;
comment on function core.write_by_hand(integer) is
    'Says until the end of this transaction that somebody writes to the space by SQL: see core.is_written_by_hand.';

create function core.is_written_by_hand() returns boolean
    language sql volatile security definer set search_path = pg_catalog, pg_temp
    as $$
    select exists (
        select from pg_locks
        where locktype = 'advisory' and classid = 731200 and objid = core.current_space() and objsubid = 2
            and database = (select oid from pg_database where datname = current_database()))
    $$;
comment on function core.is_written_by_hand() is 'Whether a transaction of SQL that wrote to this space is open still.';

create function core.ask_for_space() returns trigger
    language plpgsql volatile
    as $$
begin
    perform core.write_by_hand(core.entered());
    return case lower(tg_op) when 'delete' then old else new end;
end
$$;
comment on function core.ask_for_space() is 'For a view, before the trigger that writes (in the order of their names).';

create function core.ask_for_space_in(schema text) returns void
    language plpgsql volatile
    as $$
declare
    place regclass;
    events text;
begin
    for place in
        select adrelid::regclass from pg_attrdef d
        join pg_class c on c.oid = d.adrelid and c.relnamespace = schema::regnamespace
        where pg_get_expr(d.adbin, d.adrelid) = 'core.current_space()'
    loop
        execute format('alter table %s alter column space_id set default core.entered()', place);
    end loop;
    for place, events in
        select t.tgrelid::regclass, concat_ws(' or ', case when bit_or(t.tgtype) & 4 > 0 then 'insert' end,
            case when bit_or(t.tgtype) & 8 > 0 then 'delete' end, case when bit_or(t.tgtype) & 16 > 0 then 'update' end)
        from pg_trigger t
        join pg_class c on c.oid = t.tgrelid and c.relkind = 'v' and c.relnamespace = schema::regnamespace
        where t.tgtype & 64 > 0
        group by t.tgrelid
    loop
        execute format('create trigger ask_for_space instead of %s on %s for each row'
            ' execute function core.ask_for_space()', events, place);
    end loop;
end
$$;
comment on function core.ask_for_space_in(text) is 'Has rows of a schema ask for the space that was entered, and its views as well.';

revoke execute on function core.ask_for_space_in(text) from public;

-- What a view takes no statement for is refused with the way out, not with PostgreSQL's advice to write a trigger.
create function core.refuse_statement() returns trigger
    language plpgsql volatile set search_path = pg_catalog, pg_temp
    as $$
begin
    raise exception 'SQL cannot % rows of %.%', lower(tg_op), tg_table_schema, tg_table_name
        using errcode = 'feature_not_supported', hint = tg_argv[0];
end
$$;
comment on function core.refuse_statement() is
    'For a view, in place of what it does not take: refuses a row; its argument is the hint.';

create procedure core.keep_from_truncation(place text, tables text[])
    language plpgsql
    as $$
declare
    t text;
begin
    foreach t in array tables loop
        execute format('create trigger not_emptied before truncate on %I.%I for each statement'
            ' execute function core.refuse_statement(%L)', place, t,
            'Truncating leaves the index as it is: delete the rows, in the space that was entered.');
    end loop;
end
$$;

reset role;

do $$
begin
    if (select rolsuper from pg_roles where rolname = current_user) then
        perform core.equip_people();
    end if;
end
$$;
