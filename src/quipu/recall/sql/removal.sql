-- name: take_out: take entries out, with all that was filed of them
select core.take_out(%(ids)s::int8[])

-- name: neighbours_of: entries that stood beside removed ones, and those beside them, oldest first
select e.id, e.speaker, e.by_user, e.words, e.tokens, e.asks, e.happened_at, e.from_previous, e.from_before,
       e.mixed_tokens, v.own
from (
    select distinct gone + step as id
    from unnest(%(ids)s::int8[]) as g (gone)
    cross join generate_series(-4, 4) as step
) around
cross join lateral (
    select *
    from core.recall_entries
    where space_id = %(space)s and id = around.id and id > 0
    offset 0
) e
cross join lateral (
    select halfvec_send(coalesce(own, context)) as own
    from core.recall_vectors
    where space_id = %(space)s and generation = %(generation)s and entry_id = e.id
    offset 0
) v
order by e.id

-- name: recount_space: the counters of what is left; copies of the space are to be dropped
select core.recount_space()

-- name: discount_space: the counters without entries that are about to be taken out; the generation of the space
update core.spaces s set
    entries = s.entries - g.entries, tokens = s.tokens - g.tokens,
    mixed_tokens = s.mixed_tokens - g.mixed_tokens + %(more_mixed_tokens)s::float8,
    version = version + 1
from (
    select count(*) as entries, coalesce(sum(tokens), 0) as tokens, coalesce(sum(mixed_tokens::float8), 0) as mixed_tokens
    from core.recall_entries where space_id = %(space)s and id = any(%(ids)s::int8[])
) g
where s.id = %(space)s
returning s.generation

-- name: generation_of_space: the model by whose vectors the space is searched now
select generation from core.spaces where id = %(space)s
