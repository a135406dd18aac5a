-- The hand-written minimum: one table, exact answers of one user from packed bits and words.

-- name: extension
create extension if not exists vector;

-- name: make
create table if not exists mem (
  tenant int4 not null,
  id int8 not null,
  ts timestamptz not null,
  txt text not null,
  emb halfvec(384) not null,
  bits bit(384) generated always as (binary_quantize(emb)::bit(384)) stored,
  tsv tsvector generated always as (to_tsvector('english', txt) || array_to_tsvector(array['@' || tenant::text])) stored,
  primary key (tenant, id) include (bits)
) with (autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_vacuum_insert_threshold = 500);

-- name: index
create index if not exists mem_words on mem using gin (tsv) with (gin_pending_list_limit = 512);

-- name: copy
copy mem (tenant, id, ts, txt, emb) from stdin with (format binary);

-- name: insert
insert into mem (tenant, id, ts, txt, emb)
values (%(tenant)s, %(id)s, %(ts)s, %(txt)s, %(emb)s);

-- name: search
with q as materialized (
  select %(emb)s::halfvec(384) as v, to_tsquery('english', %(words)s) as t
), near as (
  select id, row_number() over () as r
  from (
    select m.id
    from (
      select id from mem
      where tenant = %(tenant)s
      order by bits <~> (select binary_quantize(v)::bit(384) from q)
      limit 200
    ) c
    join mem m on m.tenant = %(tenant)s and m.id = c.id
    order by m.emb <#> (select v from q)
    limit 40
  ) x
), said as (
  select id, row_number() over () as r
  from (
    select id from mem
    where tsv @@ (('''@' || %(tenant)s::text || '''')::tsquery && (select t from q))
    order by ts_rank(tsv, (select t from q)) desc
    limit 40
  ) x
), fused as (
  select id, sum(1.0::float8 / (60 + r)) as s
  from (select * from near union all select * from said) z
  group by id
  order by s desc
  limit %(k)s
)
select m.id, m.txt, m.ts, fused.s
from fused
join mem m on m.tenant = %(tenant)s and m.id = fused.id
order by fused.s desc;
