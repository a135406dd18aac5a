-- name: shape: one relation of a schema as calls of rows need it: columns with their types, key; nothing where there is none
select c.oid::bigint as relation, c.relkind = any('{r,p}') as is_table,
    pg_get_userbyid(c.relowner)::text as owner,
    array(select a.attname::text from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped order by a.attnum) as columns,
    array(select format_type(a.atttypid, a.atttypmod) from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped order by a.attnum) as types,
    array(select a.attname::text
        from pg_index i
        cross join lateral unnest(i.indkey::int2[]) with ordinality k (num, place)
        join pg_attribute a on a.attrelid = c.oid and a.attnum = k.num
        where i.indrelid = c.oid and i.indisprimary
        order by k.place) as key,
    coalesce(r.fields, '{}') as fields
from tables.schemas s
join pg_class c on c.relnamespace = to_regnamespace(s.schema_name)::oid and c.relname = %(table)s::text
    and c.relkind = any('{r,p,v,m,f}')
left join tables.relations r on r.space_id = s.space_id and r.schema_id = s.id and r.relation = c.oid
where s.space_id = (select core.current_space()) and s.name = %(schema)s::text

-- name: table_names: what can be named in a schema
select c.relname::text from pg_class c
where c.relnamespace = to_regnamespace(%(schema_name)s::text)::oid and c.relkind = any('{r,p,v,m}')
order by 1

-- name: tables: the tables of a schema, described
--
-- There may be hundreds. offset 0 keeps the planner to one look-up by key a table, here and below, whatever it knows
-- of the catalogue. Descriptions are joined, here and below (obj_description and col_description look up one
-- a call), and keys looked up only where tables.settle() has not.
select c.relname::text as name, coalesce(r.description, d.description) as description,
    pg_get_userbyid(c.relowner) <> %(writer)s::text as protected,
    case when c.reltuples < 0 then pg_stat_get_live_tuples(c.oid)
        else greatest(c.reltuples::bigint, pg_stat_get_live_tuples(c.oid)) end as rows,
    coalesce(r.key, array(select a.attname::text
        from pg_index i
        cross join lateral unnest(i.indkey::int2[]) with ordinality k (num, place)
        join pg_attribute a on a.attrelid = c.oid and a.attnum = k.num
        where i.indrelid = c.oid and i.indisprimary
        order by k.place)) as key,
    coalesce(r.fields, '{}') as embed_fields
from pg_class c
left join lateral (
    select * from tables.relations
    where space_id = %(space)s and schema_id = %(schema)s and relation = c.oid
    offset 0
) r on true
left join pg_description d on d.objoid = c.oid and d.classoid = 'pg_class'::regclass and d.objsubid = 0
where c.relnamespace = to_regnamespace(%(schema_name)s::text)::oid and c.relkind = any('{r,p,v}')
    and (%(table)s::text is null or c.relname = %(table)s::text)
order by 1

-- name: columns: the columns of the tables of a schema
select c.relname::text as table_name, a.attname::text as name, format_type(a.atttypid, a.atttypmod) as type,
    not a.attnotnull as nullable, pg_get_expr(f.adbin, f.adrelid) as "default",
    d.description
from pg_class c
join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
left join lateral (
    select * from pg_attrdef where a.atthasdef and adrelid = a.attrelid and adnum = a.attnum offset 0
) f on true
left join lateral (
    select description from pg_description
    where objoid = a.attrelid and classoid = 'pg_class'::regclass and objsubid = a.attnum
    offset 0
) d on true
where c.relnamespace = to_regnamespace(%(schema_name)s::text)::oid and c.relkind = any('{r,p,v}')
    and (%(table)s::text is null or c.relname = %(table)s::text)
order by c.relname, a.attnum

-- name: extensions: which of those that agents' SQL may use are there
select exists (select from pg_extension where extname = 'postgis') as postgis,
    exists (select from pg_extension where extname = 'pg_trgm') as pg_trgm

-- name: references: foreign keys of a table, and those of others that point to it
select c.relname::text as "table",
    array(select a.attname::text from unnest(k.conkey) with ordinality n (num, place)
        join pg_attribute a on a.attrelid = k.conrelid and a.attnum = n.num order by n.place) as columns,
    o.relname::text as other,
    array(select a.attname::text from unnest(k.confkey) with ordinality n (num, place)
        join pg_attribute a on a.attrelid = k.confrelid and a.attnum = n.num order by n.place) as other_columns
from pg_constraint k
join pg_class c on c.oid = k.conrelid
join pg_class o on o.oid = k.confrelid
where k.contype = 'f' and %(relation)s::oid in (k.conrelid, k.confrelid)
    and c.relnamespace = to_regnamespace(%(schema_name)s::text)::oid and o.relnamespace = c.relnamespace
order by 1, k.conname

-- name: parts: what the catalogue knows of a table, in the order in which it is made again
select kind, of, name, definition, statement from tables.parts_of(%(relation)s::oid)
