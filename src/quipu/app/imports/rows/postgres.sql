-- name: postgres_tables: tables that a plain name means and that have all of these columns
select c.relname as name
from pg_catalog.pg_class c
where c.relkind in ('r', 'p') and pg_catalog.pg_table_is_visible(c.oid)
    and %(columns)s::text[] <@ array(
        select a.attname::text from pg_catalog.pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    )
order by c.relname

-- name: postgres_points: what stands in a table of pgvector, without its vectors
select id, payload from {table} order by id

-- name: postgres_items: the items of LangGraph's store
select * from store order by prefix, key

-- name: postgres_items_found: the items of LangGraph's store with the parts of each that are found by meaning
select s.*, (
    select json_agg(v.field_name) from store_vectors v where v.prefix = s.prefix and v.key = s.key
) as found_by
from store s
order by s.prefix, s.key

-- name: postgres_found_by: the parts of items that are found by meaning
select distinct field_name from store_vectors

-- name: postgres_heads: the newest checkpoint of each thread
select distinct on (thread_id) * from checkpoints
where checkpoint_ns = ''
order by thread_id, checkpoint_id desc

-- name: postgres_checkpoint: one checkpoint
select * from checkpoints where thread_id = %(thread)s and checkpoint_ns = '' and checkpoint_id = %(id)s

-- name: postgres_blobs: the values of channels of one checkpoint that do not stand in it
select b.channel, b.type, b.blob
from checkpoints c
cross join lateral jsonb_each_text(c.checkpoint -> 'channel_versions') as v (channel, version)
join checkpoint_blobs b
    on b.thread_id = c.thread_id and b.checkpoint_ns = c.checkpoint_ns and b.channel = v.channel
        and b.version = v.version
where c.thread_id = %(thread)s and c.checkpoint_ns = '' and c.checkpoint_id = %(id)s

-- name: postgres_writes: what was written to channels on the checkpoints of a thread, or on one
select * from checkpoint_writes
where thread_id = %(thread)s and checkpoint_ns = '' and (%(id)s::text is null or checkpoint_id = %(id)s)
order by checkpoint_id

-- name: postgres_left: how many checkpoints are not the newest of a thread, and how many are of inner graphs
select count(*) filter (where checkpoint_ns = '') - count(distinct thread_id) filter (where checkpoint_ns = '')
    as earlier, count(*) filter (where checkpoint_ns <> '') as inner_ones
from checkpoints

-- name: postgres_agent_items: the items of all sessions of OpenAI's Agents SDK
select * from {table} order by session_id, id
