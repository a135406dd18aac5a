-- name: langgraph_items: the items of a store
select * from store order by prefix, key

-- name: langgraph_items_found: the items of a store with the parts of each that are found by meaning
select s.*, (
    select json_group_array(v.field_name) from store_vectors v where v.prefix = s.prefix and v.key = s.key
) as found_by
from store s
order by s.prefix, s.key

-- name: langgraph_found_by: the parts of items that are found by meaning
select distinct field_name from store_vectors

-- name: langgraph_heads: the newest checkpoint of each thread
select * from checkpoints c
where checkpoint_ns = '' and checkpoint_id = (
    select max(checkpoint_id) from checkpoints where thread_id = c.thread_id and checkpoint_ns = ''
)
order by thread_id

-- name: langgraph_checkpoint: one checkpoint
select * from checkpoints where thread_id = :thread and checkpoint_ns = '' and checkpoint_id = :id

-- name: langgraph_writes: what was written to channels on the checkpoints of a thread, or on one
select * from writes
where thread_id = :thread and checkpoint_ns = '' and (:id is null or checkpoint_id = :id)
order by checkpoint_id

-- name: langgraph_left: how many checkpoints are not the newest of a thread, and how many are of inner graphs
select sum(checkpoint_ns = '') - count(distinct case when checkpoint_ns = '' then thread_id end) as earlier,
    sum(checkpoint_ns <> '') as inner_ones
from checkpoints
