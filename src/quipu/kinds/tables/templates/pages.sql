-- name: browse: a page of the rows of a table; they are chosen before anything of them is made a text
select {columns}, {key} as {place_key}, {place} as {place_name}
from (select * from {table} t where {where} order by {order} limit {limit}) t
order by {order}

-- name: shown: a value as a text that is cut
case when {column} is null then null else pg_catalog.left(pg_catalog.format('%s', {column}), {characters}) end as {name}

-- name: written: a value as a text
case when {column} is null then null else pg_catalog.format('%s', {column}) end

-- name: like_text: a value has a text in it, in whatever case
pg_catalog.strpos(pg_catalog.lower(pg_catalog.format('%s', {column})), pg_catalog.lower({text})) > 0

-- name: near: rows by how near their embedded fields are to a text, the nearest first
select e.source_id, e.field_name, e.content, 1 - (e.embedding <=> :search_embedding) as nearness
from {embeddings} e
where e.source_table = {table} and e.embedding is not null
order by e.embedding <=> :search_embedding
limit {limit}

-- name: embedded: the vectors of a row
select e.field_name, e.chunk_index, pg_catalog.left(e.content, {characters}) as content,
    pg_catalog.format('%s', e.content_hash) as content_hash, e.updated_at, pg_catalog.format('%s', e.embedding) as numbers
from {embeddings} e
where e.source_table = $1::text and e.source_id = $2::text
order by e.field_name, e.chunk_index
limit {limit}
