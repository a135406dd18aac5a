-- Two that have a table watched at the same moment: the second waited for the first and then made the triggers again,
-- which were there. Whoever comes second looks again when the first is done. Beside a load it is the load that goes on.

set role quipu_owner;

create or replace function tables.watch_found(in_schema integer) returns integer
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

reset role;
