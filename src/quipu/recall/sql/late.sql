-- name: reserve_positions: let entries come later at the end of threads
update core.recall_threads t set next_position = t.next_position + g.entries
from unnest(%(threads)s::int8[], %(entries)s::int4[]) as g (id, entries)
where t.space_id = %(space)s and t.id = any(%(threads)s::int8[]) and t.id = g.id

-- name: count_threads: threads that were made without an entry; with the first, a space has its generation
update core.spaces set threads = threads + %(threads)s, generation = coalesce(generation, %(generation)s)
where id = %(space)s

-- name: grow_late_threads: what entries that came later add to their threads, whose ends knew of them
update core.recall_threads t set
    tokens = t.tokens + g.tokens,
    speakers = (select array(select distinct s from unnest(t.speakers || string_to_array(g.speakers, ',')::int[]) as u (s) order by s)),
    with_assistant = t.with_assistant or g.with_assistant
from unnest(%(threads)s::int8[], %(tokens)s::int4[], %(speakers)s::text[], %(assistants)s::bool[])
    as g (id, tokens, speakers, with_assistant)
where t.space_id = %(space)s and t.id = any(%(threads)s::int8[]) and t.id = g.id
