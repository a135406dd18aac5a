-- name: reserve_positions: let entries come later at the end of threads
update core.recall_threads t set next_position = t.next_position + g.entries
from unnest(%(threads)s::int8[], %(entries)s::int4[]) as g (id, entries)
where t.space_id = %(space)s and t.id = any(%(threads)s::int8[]) and t.id = g.id

-- name: count_threads: threads that were made without an entry; with the first, a space has its generation
update core.spaces set threads = threads + %(threads)s, generation = coalesce(generation, %(generation)s)
where id = %(space)s

