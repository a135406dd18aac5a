-- Vectors of the rows of agents' tables: which row, field and part each entry of the one index stands for, and
-- which rows have changed since. The entries themselves are in core.recall_entries, like all that recall finds.
--
-- Triggers on each table that has fields to embed write down which rows changed, whoever changed them and how.
-- A row that is written down is not shown and not found until the index has followed: it can be missing for a
-- moment, and never be stale. See docs/decisions/table-embeddings.md.

set local role quipu_owner;

alter table tables.relations
    add column id integer not null generated always as identity,
    add column watched text,
    add unique (space_id, schema_id, id);
comment on column tables.relations.watched is 'What its triggers and its storage were like when they were last looked at.';

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
create index embeddings_content on tables.embeddings (space_id, schema_id, content_hash);
comment on table tables.embeddings is 'What each entry of the index stands for; the view embeddings of each schema shows it.';
comment on column tables.embeddings.source_id is 'The primary key as text; a JSON array of texts where it has several columns.';
comment on column tables.embeddings.chunk_index is '0: the whole field; a longer field has its parts, 1 and on, and no 0.';
comment on column tables.embeddings.content_hash is 'SHA-256 of the content of the entry.';
comment on column tables.embeddings.field_hash is 'SHA-256 of the whole field as the table has it.';

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
create index dirty_rows_of_a_relation on tables.dirty_rows
    (space_id, schema_id, relation_id, hashtextextended(source_id, 0));
comment on table tables.dirty_rows is 'Rows that changed and that the index has not followed yet.';
comment on column tables.dirty_rows.source_id is 'Null: any row of the table may have changed.';

-- Whoever has the index follow a schema holds its row: one at a time.
create table tables.following (
    space_id integer not null default core.current_space(),
    schema_id integer not null,
    primary key (space_id, schema_id),
    foreign key (space_id, schema_id) references tables.schemas (space_id, id) on delete cascade
);
comment on table tables.following is 'Held by whoever has the index follow a schema.';

do $$
declare
    t text;
begin
    foreach t in array array['embeddings', 'dirty_rows', 'following'] loop
        execute format('alter table tables.%I enable row level security', t);
        execute format('alter table tables.%I force row level security', t);
        execute format('create policy own_space on tables.%I using (space_id = (select core.current_space()))', t);
        execute format('create policy engine on tables.%I to quipu_owner using (true)', t);
    end loop;
end
$$;
grant select, insert, update, delete on tables.embeddings to quipu_app;
grant select, insert, delete on tables.dirty_rows to quipu_app;
grant select, update on tables.following to quipu_app;

-- The views below are read by logins that enter no space and could set any: each names its own in its text, and
-- what it reads of the index is admitted to the owner of the view, rows of agents' tables and vectors of what
-- stands alone.
create policy rows_of_agents on core.recall_entries for select to quipu_owner using (kind = 6);
create policy rows_of_agents on core.recall_vectors for select to quipu_owner using (entry_id < 0);

-- What tells whether the triggers of a table and of its partitions are as they were made, and its rows in the same
-- place: who disables a trigger, changes rows and enables it again leaves another version of its row; who has
-- a column rewritten, another file. A table without a log is empty after a crash.
create function tables.watch_of(relation oid, id integer) returns text
    language sql stable set search_path = pg_catalog, pg_temp
    as $$
    with recursive tree as (
        select $1 as oid
        union
        select i.inhrelid from tree join pg_inherits i on i.inhparent = tree.oid
    )
    select md5(string_agg(line, chr(10) order by line)) from (
        select concat_ws('/', c.oid, pg_relation_filenode(c.oid), t.oid, t.tgname, t.tgenabled, t.xmin,
            case when c.relpersistence = 'u' then pg_postmaster_start_time() end) as line
        from tree
        join pg_class c on c.oid = tree.oid and c.relkind in ('r', 'p')
        left join pg_trigger t on t.tgrelid = c.oid and t.tgname ~ ('^quipu_[a-z]+_' || $2 || '$')
            and t.tgfoid = (select p.oid from pg_proc p join pg_namespace n on n.oid = p.pronamespace
                where n.nspname = 'tables' and p.proname = 'note_rows')
        union all  -- what computes a column that is not stored
        select concat_ws('/', d.adrelid, d.adnum, d.xmin)
        from tree
        join pg_attribute a on a.attrelid = tree.oid and a.attgenerated <> ''
        join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    ) lines
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

-- Watches the tables of a schema that have fields to embed, and no others. Where something was not as it had been
-- made, it is made again, and all rows are looked at.
create function tables.watch(in_schema integer) returns integer
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
        select rel.id, rel.relation, rel.watched, rel.fields <> '{}' and rel.key <> '{}' as wanted
        from tables.relations rel
        join pg_class c on c.oid = rel.relation
        where rel.space_id = here and rel.schema_id = in_schema
    loop
        continue when r.wanted and r.watched = tables.watch_of(r.relation, r.id) or not r.wanted and r.watched is null;
        looked := looked + 1;
        insert into tables.dirty_rows (space_id, schema_id, relation_id) values (here, in_schema, r.id);
        begin
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
        exception when lock_not_available then
            null;  -- somebody is writing there: its rows are not shown until the next time
        end;
    end loop;
    return looked;
end
$$;
revoke execute on function tables.watch(integer) from public;
grant execute on function tables.watch(integer) to quipu_app;
comment on function tables.watch(integer) is
    'Has changes of the rows of a schema written down; returns how many tables must be looked at as a whole.';

-- The structure changed (tables.settle): all rows of the table are to be looked at. A space that has such tables
-- keeps its bit in unfiled: its rows change where no transaction of ours tells of it.
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
        update core.spaces set unfiled = unfiled | 32 where id = r.space_id and unfiled & 32 = 0;
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
        raise exception '%.%.% is not embedded', s.schema_name, new.source_table, new.field_name
            using errcode = 'check_violation', hint = format(
                'Embeddings are made of rows. Have the field embedded: update %I.schema_registry set'
                ' embeddable_fields = embeddable_fields || ''%s'' where table_name = ''%s''',
                s.schema_name, coalesce(new.field_name, 'field'), coalesce(new.source_table, 'table'));
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
        $x$, s.schema_name, s.space_id, s.id);
    execute format('comment on view %I.embeddings is %L', s.schema_name,
        'The vectors of embedded fields. They follow the rows by themselves.');
    execute format('create or replace trigger write_embedding instead of insert or update on %I.embeddings'
        ' for each row execute function tables.write_embedding(%s, %s)', s.schema_name, s.space_id, s.id);
    execute format('grant select, insert, update on %I.embeddings to %I', s.schema_name, s.writer);
    execute format('grant select on %I.embeddings to %I', s.schema_name, s.reader);
end
$$;
revoke execute on function tables.furnish_embeddings(integer) from public;
comment on function tables.furnish_embeddings(integer) is 'Makes the view embeddings of the schema of that id.';

do $$
begin
    perform tables.furnish_embeddings(id) from tables.schemas;
end
$$;

reset role;
