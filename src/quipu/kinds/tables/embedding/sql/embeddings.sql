-- name: behind: schemas whose rows changed since the index followed, or whose tables may have changed unseen
with seen as (
    select schema_id, id, relation, watched, fields <> '{}' and key <> '{}' as wanted
    from tables.relations
    where space_id = %(space)s
)
select s.id, s.name, s.schema_name, s.description, s.writer, s.reader, s.version
from tables.schemas s
where s.space_id = %(space)s
    and (exists (select from tables.dirty_rows d where d.space_id = s.space_id and d.schema_id = s.id)
        or s.id in (
            select r.schema_id
            from seen r
            left join tables.watches(array(select relation from seen where wanted order by id),
                array(select id from seen where wanted order by id)) w on w.id = r.id
            where r.watched is distinct from w.watched))
order by s.id

-- name: is_watched: whether all tables of a schema are watched as they should be
with seen as (
    select id, relation, watched, fields <> '{}' and key <> '{}' as wanted
    from tables.relations
    where space_id = (select core.current_space()) and schema_id = %(schema)s
)
select not exists (
    select from seen r
    left join tables.watches(array(select relation from seen where wanted order by id),
        array(select id from seen where wanted order by id)) w on w.id = r.id
    where r.watched is distinct from w.watched)

-- name: watch: have changes of the rows of a schema written down; how many tables must be looked at as a whole
select tables.watch(%(schema)s::integer)

-- name: hold: let nobody else have the index follow the schema meanwhile, and do not wait for that for long
select 1 from tables.following
where space_id = (select core.current_space()) and schema_id = %(schema)s
    and set_config('lock_timeout', '5s', true) is not null
for update

-- name: pending: a table that has rows which changed, with some of them and what the index has of these
--
-- A table that must be looked at as a whole comes first. All as of one moment, and in one round trip.
with first as (
    select relation_id, source_id is null as whole
    from tables.dirty_rows
    where space_id = (select core.current_space()) and schema_id = %(schema)s and relation_id <> all (%(skipped)s::int4[])
    order by source_id is null desc, id
    limit 1
), changed as (
    select d.relation_id, d.source_id, d.id, d.noted_at, d.xmin::text::int8 as transaction
    from first f
    join tables.dirty_rows d on d.space_id = (select core.current_space()) and d.schema_id = %(schema)s and d.relation_id = f.relation_id
        and (d.source_id is null) = f.whole
    order by d.id
    limit %(limit)s
), relation as (
    select r.id, r.relation::int8 as oid, s.schema_name, r.table_name, r.key, r.fields, c.relhasrules as ruled,
        array(
            select format_type(a.atttypid, a.atttypmod)
            from unnest(r.key) with ordinality k (name, place)
            join pg_attribute a on a.attrelid = r.relation and a.attname = k.name and not a.attisdropped
            order by k.place) as types
    from first f
    join tables.relations r on r.space_id = (select core.current_space()) and r.schema_id = %(schema)s and r.id = f.relation_id
    join tables.schemas s on s.space_id = r.space_id and s.id = r.schema_id
    join pg_class c on c.oid = r.relation
    where r.fields <> '{}' and r.key <> '{}'
), known as (
    select m.source_id, m.field_name, m.chunk_index, m.entry_id, m.content_hash, m.field_hash
    from (select distinct relation_id, source_id from changed) c
    cross join lateral (
        select * from tables.embeddings
        where space_id = (select core.current_space()) and schema_id = %(schema)s and relation_id = c.relation_id
            and source_id = c.source_id
        offset 0
    ) m
)
select (select jsonb_agg(to_jsonb(c) order by id) from changed c) as changed,
    (select to_jsonb(r) from relation r) as relation,
    (select jsonb_agg(to_jsonb(k)) from known k) as known

-- name: some_of: entries that the index has of a table, not all of them
select entry_id from tables.embeddings
where space_id = %(space)s and schema_id = %(schema)s and relation_id = %(relation)s
limit %(limit)s

-- name: kept_rows: rows of a table that the index has, in the order of their ids
select distinct source_id
from tables.embeddings
where space_id = %(space)s and schema_id = %(schema)s and relation_id = %(relation)s
    and (%(after)s::text is null or source_id > %(after)s::text)
order by source_id
limit %(limit)s

-- name: vectors: vectors of texts that are in the index already, or came out of a snapshot
select distinct on (f.content_hash) f.content_hash, halfvec_send(f.vector) as vector
from (
    select m.content_hash, v.context as vector
    from tables.embeddings m
    join core.recall_vectors v on v.space_id = m.space_id and v.generation = %(generation)s and v.entry_id = m.entry_id
    where m.space_id = %(space)s and m.schema_id = %(schema)s and m.content_hash = any(%(hashes)s::text[])
    union all
    select k.content_hash, k.vector
    from tables.kept_vectors k
    where k.space_id = %(space)s and k.schema_id = %(schema)s and k.generation = %(generation)s
        and k.content_hash = any(%(hashes)s::text[])
) f

-- name: note: rows of a table that is looked at as a whole whose fields are not what the index has
insert into tables.dirty_rows (schema_id, relation_id, source_id)
select distinct %(schema)s::int4, %(relation)s::int4, t.source_id
from unnest(%(source_ids)s::text[], %(fields)s::text[], %(hashes)s::text[]) as t (source_id, field_name, field_hash)
left join tables.embeddings m on m.space_id = %(space)s and m.schema_id = %(schema)s
    and m.relation_id = %(relation)s and m.source_id = t.source_id and m.field_name = t.field_name
    and m.chunk_index <= 1
where coalesce(m.field_hash, '') <> t.field_hash

-- name: note_rows: rows of a table that the index is to follow
insert into tables.dirty_rows (schema_id, relation_id, source_id)
select distinct %(schema)s::int4, %(relation)s::int4, t.source_id from unnest(%(source_ids)s::text[]) as t (source_id)

-- name: note_removed_fields: rows of which the index has a field that is embedded no more
insert into tables.dirty_rows (schema_id, relation_id, source_id)
select distinct schema_id, relation_id, source_id
from tables.embeddings
where space_id = %(space)s and schema_id = %(schema)s and relation_id = %(relation)s
    and field_name <> all (%(fields)s::text[])

-- name: drop_embeddings: what stood for entries that are taken out
delete from tables.embeddings where space_id = %(space)s and entry_id = any(%(entries)s::int8[])

-- name: keep_embeddings: what new entries stand for
insert into tables.embeddings as m
    (schema_id, relation_id, source_id, field_name, chunk_index, entry_id, content_hash, field_hash)
select %(schema)s, %(relation)s, e.source_id, e.field_name, e.chunk_index, e.entry_id, e.content_hash, e.field_hash
from unnest(%(source_ids)s::text[], %(fields)s::text[], %(chunks)s::int4[], %(entries)s::int8[],
    %(content_hashes)s::text[], %(field_hashes)s::text[])
    as e (source_id, field_name, chunk_index, entry_id, content_hash, field_hash)
on conflict (space_id, schema_id, relation_id, source_id, field_name, chunk_index) do update
set entry_id = excluded.entry_id, content_hash = excluded.content_hash, field_hash = excluded.field_hash,
    updated_at = now()

-- name: rehash: parts that are as they were, of fields that are not
update tables.embeddings m set field_hash = e.field_hash
from unnest(%(entries)s::int8[], %(field_hashes)s::text[]) as e (entry_id, field_hash)
where m.space_id = %(space)s and m.entry_id = any(%(entries)s::int8[]) and m.entry_id = e.entry_id

-- name: followed: the index has followed these changes; whether there are others
with done as (
    delete from tables.dirty_rows
    where space_id = %(space)s and schema_id = %(schema)s and id = any(%(ids)s::int8[])
)
select exists (
    select from tables.dirty_rows
    where space_id = %(space)s and schema_id = %(schema)s and id <> all (%(ids)s::int8[]))

-- name: cited: what entries say, of which row and field; those are left out whose row changed or is gone
select e.id, e.content as text, e.happened_at, e.recorded_at, m.source_id,
    s.name || '.' || r.table_name || '.' || m.field_name as place
from core.recall_entries e
join tables.embeddings m on m.space_id = e.space_id and m.entry_id = e.id
join tables.relations r on r.space_id = m.space_id and r.schema_id = m.schema_id and r.id = m.relation_id
join tables.schemas s on s.space_id = r.space_id and s.id = r.schema_id
where e.space_id = %(space)s and e.id = any(%(ids)s::int8[]) and m.field_name = any(r.fields)
    and not exists (
        select from tables.dirty_rows d
        where d.space_id = m.space_id and d.schema_id = m.schema_id and d.relation_id = m.relation_id
            and hashtextextended(d.source_id, 0) = hashtextextended(m.source_id, 0) and d.source_id = m.source_id)
    and not exists (
        select from tables.dirty_rows d
        where d.space_id = m.space_id and d.schema_id = m.schema_id and d.relation_id = m.relation_id
            and hashtextextended(d.source_id, 0) is null)
