-- A schema may have hundreds of tables, and all of them are looked at whenever the index follows one, and before
-- every recall: so they are looked at together. One by one, two hundred took thirty milliseconds each time.

set local role quipu_owner;

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

create or replace function tables.watch_of(relation oid, id integer) returns text
    language sql stable set search_path = pg_catalog, pg_temp
    as $$
    select w.watched from tables.watches(array[$1], array[$2]) w
    $$;

create or replace function tables.watch(in_schema integer) returns integer
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
        select seen.id, seen.relation, seen.wanted
        from seen
        left join tables.watches(array(select relation from seen where wanted order by id),
            array(select id from seen where wanted order by id)) w on w.id = seen.id
        where seen.watched is distinct from w.watched
    loop
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

reset role;
