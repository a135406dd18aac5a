-- name: discount_terms: in how many fewer entries each term occurs
update core.recall_terms t set entries = t.entries - g.entries
from (
    select term, count(*) as entries
    from core.recall_entries
    cross join lateral unnest(terms) as u (term)
    where space_id = %(space)s and id = any(%(ids)s::int8[])
    group by term
) g
where t.space_id = %(space)s and t.term = g.term

-- name: remove_terms: forget terms that occur nowhere
delete from core.recall_terms where space_id = %(space)s and entries = 0

-- name: remove_postings: take the terms of entries out
delete from core.recall_postings p
using (
    select id, unnest(terms) as term
    from core.recall_entries
    where space_id = %(space)s and id = any(%(ids)s::int8[])
) t
where p.space_id = %(space)s and p.term = t.term and p.entry_id = t.id

-- name: remove_vectors: take the vectors of entries out, of every generation
delete from core.recall_vectors where space_id = %(space)s and entry_id = any(%(ids)s::int8[])

-- name: remove_entries: take entries out; whose they were
delete from core.recall_entries where space_id = %(space)s and id = any(%(ids)s::int8[])
returning speaker, owner

-- name: bereaved: entries that stood beside removed ones, and those beside them, oldest first
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

-- name: recount_threads: what is left of threads that lost entries; empty ones go
with left_over as materialized (
    select t.id, l.entries, l.tokens, l.speakers, l.with_assistant
    from (select distinct gone >> 24 as id from unnest(%(ids)s::int8[]) as g (gone) where gone > 0) t
    cross join lateral (
        select count(*) as entries, sum(tokens) as tokens, bool_or(not by_user) as with_assistant,
               coalesce(array_agg(distinct speaker) filter (where speaker > 0), '{}') as speakers
        from core.recall_entries
        where space_id = %(space)s and id between t.id << 24 and (t.id << 24) + 16777215
        offset 0
    ) l
), kept as (
    update core.recall_threads t set tokens = l.tokens, speakers = l.speakers, with_assistant = l.with_assistant
    from left_over l
    where t.space_id = %(space)s and t.id = l.id and l.entries > 0
)
delete from core.recall_threads t
using left_over l
where t.space_id = %(space)s and t.id = l.id and l.entries = 0

-- name: remove_names: forget people of whom nothing is left
delete from core.recall_names
where space_id = %(space)s and id = any(%(names)s::int4[])
    and id not in (
        select speaker from core.recall_entries where space_id = %(space)s
        union all
        select owner from core.recall_entries where space_id = %(space)s
    )

-- name: recount_space: the counters of what is left; copies of the space are to be dropped
update core.spaces s set
    (entries, tokens, mixed_tokens, languages) = (
        select count(*), coalesce(sum(tokens), 0), coalesce(sum(mixed_tokens::float8), 0),
               coalesce(array_agg(distinct language order by language), '{}')
        from core.recall_entries where space_id = %(space)s),
    threads = (select count(*) from core.recall_threads where space_id = %(space)s),
    version = version + 1,
    epoch = epoch + 1
where s.id = %(space)s
returning version
