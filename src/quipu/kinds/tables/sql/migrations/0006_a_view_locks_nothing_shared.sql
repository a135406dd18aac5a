-- LOCK TABLE on a view locks every table below it with the rights of the view's owner, and so does SELECT … FOR
-- UPDATE with rows: who might UPDATE the view embeddings could hold the shared index of all spaces. Its rows come
-- out of a function now: a lock on the view locks the view. Nor does EXPLAIN count what others have any more.

set local role quipu_owner;

create function tables.embeddings_of(in_space integer, in_schema integer) returns table (
    id uuid, source_table text, source_id text, field_name text, chunk_index integer, content text,
    content_hash varchar(64), embedding halfvec, created_at timestamptz, updated_at timestamptz
)
    language sql stable security definer set search_path = pg_catalog, public, pg_temp set row_security = on
    as $$
    select m.id, r.table_name, m.source_id, m.field_name, m.chunk_index, e.content, m.content_hash, v.context,
        m.created_at, m.updated_at
    from tables.schemas s
    join tables.embeddings m on m.space_id = in_space and m.schema_id = in_schema
    join tables.relations r on r.space_id = m.space_id and r.schema_id = m.schema_id and r.id = m.relation_id
    left join core.recall_entries e on e.space_id = in_space and e.id = m.entry_id
    left join core.recall_vectors v on v.space_id = in_space and v.entry_id = m.entry_id
        and v.generation = (select p.generation from core.spaces p where p.id = in_space)
    where s.space_id = in_space and s.id = in_schema
        and (session_user in (s.writer, s.reader) or pg_has_role(session_user, 'quipu_owner', 'member'))
        and (
            not (select exists (
                select from tables.dirty_rows d where d.space_id = in_space and d.schema_id = in_schema))
            or not exists (
                select from tables.dirty_rows d
                where d.space_id = in_space and d.schema_id = in_schema and d.relation_id = m.relation_id
                    and (hashtextextended(d.source_id, 0) is null
                        or hashtextextended(d.source_id, 0) = hashtextextended(m.source_id, 0)
                            and d.source_id = m.source_id)))
    $$;
comment on function tables.embeddings_of(integer, integer) is
    'What the view embeddings of a schema shows, for whoever is logged in as its writer or reader.';

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
        select x.id, x.source_table, x.source_id, x.field_name, x.chunk_index, x.content, x.content_hash,
            x.embedding, x.created_at, x.updated_at
        from tables.embeddings_of(%2$s, %3$s) x
        $x$, s.schema_name, s.space_id, s.id);
    execute format('comment on view %I.embeddings is %L', s.schema_name,
        'The vectors of embedded fields. They follow the rows by themselves.');
    execute format('create or replace trigger write_embedding instead of insert or update on %I.embeddings'
        ' for each row execute function tables.write_embedding(%s, %s)', s.schema_name, s.space_id, s.id);
    execute format('grant select, insert, update on %I.embeddings to %I', s.schema_name, s.writer);
    execute format('grant select on %I.embeddings to %I', s.schema_name, s.reader);
end
$$;

do $$
begin
    perform tables.furnish_embeddings(id) from tables.schemas;
end
$$;

reset role;
