-- name: reserve_positions: let entries come later at the end of threads, held in ascending order; the new ends
with held as materialized (
    select id from core.recall_threads
    where space_id = %(space)s and id = any(%(threads)s::int8[])
    order by id
    for update
)
update core.recall_threads t set next_position = t.next_position + g.entries
from held h
join unnest(%(threads)s::int8[], %(entries)s::int4[]) as g (id, entries) on g.id = h.id
where t.space_id = %(space)s and t.id = h.id
returning t.id, t.next_position

-- name: count_threads: threads that were made without an entry; with the first, a space has its generation
update core.spaces set threads = threads + %(threads)s, generation = coalesce(generation, %(generation)s)
where id = %(space)s


-- name: is_written_by_hand: whether a transaction of SQL that wrote to the space is open still
select core.is_written_by_hand()

-- name: is_left_alone: whether no open transaction leaves rows of a kind unindexed, until this one ends
select core.is_left_alone(%(kind)s)

-- name: keep_places: threads, which are held, go on behind places that have no entry
update core.recall_threads t set next_position = g.position
from unnest(%(threads)s::int8[], %(positions)s::int4[]) as g (id, position)
where t.space_id = %(space)s and t.id = any(%(threads)s::int8[]) and t.id = g.id
