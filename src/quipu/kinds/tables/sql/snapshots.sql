-- name: kept_tables: the agent's tables that hold rows
select c.relname::text
from tables.schemas s
join pg_catalog.pg_class c on c.relnamespace = to_regnamespace(s.schema_name)::oid
    and c.relkind = 'r' and c.relowner = to_regrole(s.writer)::oid
where s.space_id = %(space)s and s.id = %(schema)s
order by 1

-- name: drops: statements that drop what the agent made; sequences last, which go with their columns
select format('drop %%s if exists %%s cascade',
    case o.type when 'statistics object' then 'statistics' else o.type end, o.identity)
from tables.schemas s
cross join lateral (
    select 'pg_class'::regclass as class, c.oid from pg_catalog.pg_class c
    where c.relnamespace = to_regnamespace(s.schema_name)::oid and c.relowner = to_regrole(s.writer)::oid
        and c.relkind = any('{r,p,v,m,S,f}')
    union all
    select 'pg_proc'::regclass, p.oid from pg_catalog.pg_proc p
    where p.pronamespace = to_regnamespace(s.schema_name)::oid and p.proowner = to_regrole(s.writer)::oid
    union all
    select 'pg_type'::regclass, t.oid from pg_catalog.pg_type t
    left join pg_catalog.pg_class c on c.oid = t.typrelid
    where t.typnamespace = to_regnamespace(s.schema_name)::oid and t.typowner = to_regrole(s.writer)::oid
        and t.typtype = any('{d,e,r,c}') and coalesce(c.relkind, 'c') = 'c'
    union all
    select 'pg_operator'::regclass, p.oid from pg_catalog.pg_operator p
    where p.oprnamespace = to_regnamespace(s.schema_name)::oid and p.oprowner = to_regrole(s.writer)::oid
    union all
    select 'pg_collation'::regclass, c.oid from pg_catalog.pg_collation c
    where c.collnamespace = to_regnamespace(s.schema_name)::oid and c.collowner = to_regrole(s.writer)::oid
    union all
    select 'pg_conversion'::regclass, c.oid from pg_catalog.pg_conversion c
    where c.connamespace = to_regnamespace(s.schema_name)::oid and c.conowner = to_regrole(s.writer)::oid
    union all
    select 'pg_ts_config'::regclass, c.oid from pg_catalog.pg_ts_config c
    where c.cfgnamespace = to_regnamespace(s.schema_name)::oid and c.cfgowner = to_regrole(s.writer)::oid
    union all
    select 'pg_ts_dict'::regclass, d.oid from pg_catalog.pg_ts_dict d
    where d.dictnamespace = to_regnamespace(s.schema_name)::oid and d.dictowner = to_regrole(s.writer)::oid
) made
cross join lateral pg_catalog.pg_identify_object(made.class, made.oid, 0) o
where s.space_id = %(space)s and s.id = %(schema)s
order by o.type = 'sequence', 1

-- name: kept_vectors: vectors of the texts of a schema, by the hash of the text
select distinct on (m.content_hash) m.content_hash, g.digest, halfvec_send(v.context)
from tables.embeddings m
join core.spaces p on p.id = m.space_id
join core.recall_generations g on g.id = p.generation
join core.recall_vectors v on v.space_id = m.space_id and v.generation = p.generation and v.entry_id = m.entry_id
where m.space_id = %(space)s and m.schema_id = %(schema)s
order by m.content_hash

-- name: keep_vectors: for rows that are put back; none of an embedding model that does not serve here
insert into tables.kept_vectors (schema_id, content_hash, generation, vector)
select %(schema)s::integer, h.content_hash, g.id, h.vector
from core.recall_generations g
cross join unnest(%(hashes)s::text[], %(vectors)s::halfvec[]) as h (content_hash, vector)
where g.digest = %(digest)s
on conflict do nothing

-- name: drop_kept_vectors: they have been used, unless there is more to follow
delete from tables.kept_vectors
where space_id = %(space)s and schema_id = %(schema)s and not exists (
    select from tables.dirty_rows d where d.space_id = %(space)s and d.schema_id = %(schema)s)

-- name: nameable: columns of the agent's tables that can hold a name, and whether they can be changed
select c.relname::text, a.attname::text,
    case when t.typcategory = 'S' then '' else format_type(a.atttypid, null) end, a.attgenerated = ''
from tables.schemas s
join pg_catalog.pg_class c on c.relnamespace = to_regnamespace(s.schema_name)::oid
    and c.relkind = 'r' and c.relowner = to_regrole(s.writer)::oid
join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
join pg_catalog.pg_type t on t.oid = a.atttypid
where s.space_id = %(space)s and s.id = %(schema)s
    and (t.typcategory in ('S', 'E') or a.atttypid in ('json'::regtype, 'jsonb'::regtype)
        or t.typcategory = 'A' and (select e.typcategory from pg_catalog.pg_type e where e.oid = t.typelem) = 'S')
order by 1, a.attnum

-- name: name_all_schemas: have PostgreSQL write each name with its schema, and look for none elsewhere
select pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', false)

-- name: computed: what ANALYZE and VACUUM FULL compute for tables of a schema
select 'index', i.relname::text, t.relname::text, coalesce(pg_get_expr(x.indexprs, x.indrelid), ''),
    coalesce(pg_get_expr(x.indpred, x.indrelid), 'true')
from pg_catalog.pg_index x
join pg_catalog.pg_class i on i.oid = x.indexrelid
join pg_catalog.pg_class t on t.oid = x.indrelid
join pg_catalog.pg_namespace n on n.oid = t.relnamespace
where n.nspname = %(schema)s and t.relkind in ('r', 'm') and (x.indexprs is not null or x.indpred is not null)
union all
select 'statistics', e.stxname::text, t.relname::text,
    array_to_string(pg_get_statisticsobjdef_expressions(e.oid), ', '), 'true'
from pg_catalog.pg_statistic_ext e
join pg_catalog.pg_class t on t.oid = e.stxrelid
join pg_catalog.pg_namespace n on n.oid = t.relnamespace
where n.nspname = %(schema)s and e.stxexprs is not null
order by 3, 2

-- name: own_rights: what everybody may do with the objects of the writer that is logged in
select kind, names, args, ahead, called, rights, usual from tables.own_rights()

-- name: roles: of these, those that are still there; those of schemas only where the schema is of the space
select r.rolname::text, r.oid::bigint
from unnest(%(names)s::text[], %(numbers)s::bigint[]) n (name, number)
join pg_catalog.pg_roles r on r.rolname = n.name and r.oid::bigint = n.number
where r.rolname !~ '^quipu_(writer|reader)_[0-9a-f]{16}$' or exists (
    select from tables.schemas s where s.space_id = %(space)s and r.rolname in (s.writer, s.reader))

-- name: as_owner: with the rights of the owner of the house
select set_config('role', 'quipu_owner', true)
