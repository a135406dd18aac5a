-- The rows of embeddings come from the tables again, so that conditions reach their indexes. LOCK TABLE asks for
-- rights on the whole view and never on columns; INSERT and UPDATE are content with columns. So whoever writes has
-- rights on its columns, and none on the view but SELECT. SELECT … FOR UPDATE is content with columns as well: it
-- does not reach into a common table expression, so it locks no row.

set local role quipu_owner;

create or replace function tables.furnish_embeddings(made integer) returns void
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

-- Views that were set aside (recall, 0007) come back, with what agents made of them.
do $$
declare
    s tables.schemas;
begin
    for s in select * from tables.schemas loop
        execute format('drop view if exists %I.embeddings', s.schema_name);
        execute format('alter view if exists %I.quipu_embeddings_aside rename to embeddings', s.schema_name);
        perform tables.furnish_embeddings(s.id);
    end loop;
end
$$;

drop function tables.embeddings_of(integer, integer);

-- EXPLAIN of a condition tells how many rows the planner takes it for. From what is in the tables of all spaces it
-- must not tell whether others have that name, that key or that text, nor when they wrote.
alter table tables.embeddings
    alter column source_id set statistics 0, alter column field_name set statistics 0,
    alter column content_hash set statistics 0, alter column field_hash set statistics 0,
    alter column created_at set statistics 0, alter column updated_at set statistics 0;
alter table tables.relations alter column table_name set statistics 0;
alter table tables.dirty_rows alter column source_id set statistics 0;
alter table core.recall_entries alter column content set statistics 0;
do $$
declare
    old record;
begin
    if to_regprocedure('pg_clear_attribute_stats(text, text, text, boolean)') is null then
        return;  -- before PostgreSQL 18 what was gathered stays until the columns are written anew
    end if;
    for old in
        select n.nspname, c.relname, a.attname
        from pg_attribute a
        join pg_class c on c.oid = a.attrelid
        join pg_namespace n on n.oid = c.relnamespace
        where a.attstattarget = 0 and (n.nspname = 'tables' or (n.nspname, c.relname) = ('core', 'recall_entries'))
    loop
        execute format('select pg_clear_attribute_stats(%L, %L, %L, false)', old.nspname, old.relname, old.attname);
    end loop;
end
$$;

reset role;
