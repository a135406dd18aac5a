-- name: known_names: the numbers of names; the space is that of the transaction
select name, id from core.recall_names
where space_id = (select core.current_space()) and name = any(%(names)s::text[])

-- name: add_names: give numbers to new names
insert into core.recall_names (space_id, name)
select %(space)s, name from unnest(%(names)s::text[]) as t (name) order by name
on conflict (space_id, name) do nothing

-- name: open_threads: make threads that are not there; those made
insert into core.recall_threads (space_id, id)
select %(space)s, id from unnest(%(threads)s::int8[]) as t (id) order by id
on conflict do nothing
returning id

-- name: lock_threads: hold the threads that will grow; one writer a thread
select id, next_position, speakers, with_assistant
from core.recall_threads
where space_id = %(space)s and id = any(%(threads)s::int8[])
order by id
for update

-- name: hold_generations: from here to the end of the transaction no other model begins to serve
select pg_advisory_xact_lock_shared(7310522002)

-- name: lock_space: hold a space, as every write and erasure does in the end; its generation
select generation from core.spaces where id = %(space)s for no key update

-- name: tails: the last three entries of threads, oldest first, as the rule of neighbours must know them
--
-- offset 0 keeps the planner to one index lookup a row: it knows nothing of a table that a first import fills.
select e.id, e.speaker, e.by_user, e.words, e.tokens, e.asks, e.happened_at, e.from_previous, e.from_before,
       e.mixed_tokens, v.own
from core.recall_threads t
cross join lateral (values (1), (2), (3)) as back (steps)
cross join lateral (
    select *
    from core.recall_entries
    where space_id = %(space)s and id = (t.id << 24 | (t.next_position - back.steps))
    offset 0
) e
cross join lateral (
    select halfvec_send(coalesce(own, context)) as own
    from core.recall_vectors
    where space_id = %(space)s and generation = %(generation)s and entry_id = e.id
    offset 0
) v
where t.space_id = %(space)s and t.id = any(%(threads)s::int8[]) and t.next_position >= back.steps
order by e.id

-- name: alone_ids: numbers for entries that stand alone: negative, and rising, so that indexes grow at one end
select nextval('core.recall_alone') from generate_series(1, %(count)s)

-- name: file_terms: which terms entries have; it holds nothing, so it may come long before the entries
insert into core.recall_postings (space_id, term, entry_id, occurrences, tokens)
select %(space)s::int4, p.term, p.entry_id, p.occurrences, p.tokens
from unnest(%(posted_term)s::int4[], %(posted_entry)s::int8[], %(posted_occurrences)s::int2[],
    %(posted_tokens)s::int2[]) as p (term, entry_id, occurrences, tokens)

-- name: file_entries: file entries with their vectors, and count them and their terms; the version of the write
--
-- The row of the space is the last lock that a write takes, and what follows is counted under it. One statement,
-- so that it is held for as short as can be. Of entries that stand alone no second vector of their own is kept.
--
-- = any keeps the planner to the rows themselves, here and below: joined by = alone, as long as it takes the table
-- for small, it would read the whole space.
with space as (
    update core.spaces set
        entries = entries + cardinality(%(id)s::int8[]),
        tokens = tokens + %(new_tokens)s::int8,
        mixed_tokens = mixed_tokens + %(new_mixed_tokens)s::float8,
        threads = threads + %(new_threads)s::int8,
        languages = (select array(select distinct unnest(languages || %(language)s::text[]) order by 1)),
        generation = coalesce(generation, %(generation)s::int2),
        version = version + 1
    where id = %(space)s::int4
    returning version, generation
), filed as (
    insert into core.recall_entries (space_id, id, version, happened_at, recorded_at, kind, by_user, asks, has_time, speaker,
        owner, words, tokens, mixed_tokens, language, from_previous, from_before, from_next, source_table, source_id, field,
        chunk, content, bits, terms)
    select %(space)s::int4, e.id, s.version, e.happened_at, e.recorded_at, e.kind, e.by_user, e.asks, e.has_time, e.speaker,
        e.owner, e.words, e.tokens, e.mixed_tokens, e.language, e.from_previous, e.from_before, e.from_next, e.source_table,
        e.source_id, e.field, e.chunk, e.content, e.bits, (%(terms)s::int4[])[e.first:e.last]
    from space s
    cross join unnest(%(id)s::int8[], %(happened_at)s::timestamptz[], %(recorded_at)s::timestamptz[], %(kind)s::int2[],
        %(by_user)s::bool[], %(asks)s::bool[], %(has_time)s::bool[], %(speaker)s::int4[], %(owner)s::int4[],
        %(words)s::int4[], %(tokens)s::int4[], %(mixed_tokens)s::float4[], %(language)s::text[], %(from_previous)s::float4[],
        %(from_before)s::float4[], %(from_next)s::float4[], %(source_table)s::text[], %(source_id)s::text[],
        %(field)s::text[], %(chunk)s::int4[], %(content)s::text[], %(bits)s::varbit[], %(first)s::int4[], %(last)s::int4[])
        as e (id, happened_at, recorded_at, kind, by_user, asks, has_time, speaker, owner, words, tokens, mixed_tokens,
            language, from_previous, from_before, from_next, source_table, source_id, field, chunk, content, bits, first,
            last)
), vectors as (
    insert into core.recall_vectors (space_id, generation, entry_id, own, context)
    select %(space)s::int4, %(generation)s::int2, v.id, case when v.id > 0 then v.own end, v.context
    from space
    cross join unnest(%(id)s::int8[], %(own)s::halfvec[], %(context)s::halfvec[]) as v (id, own, context)
), terms as (
    insert into core.recall_terms as t (space_id, term, entries)
    select %(space)s::int4, c.term, c.entries
    from space
    cross join unnest(%(counted_term)s::int4[], %(counted_entries)s::int4[]) as c (term, entries)
    on conflict (space_id, term) do update set entries = t.entries + excluded.entries
), threads as (
    update core.recall_threads t set
        next_position = g.next_position,
        tokens = t.tokens + g.tokens,
        speakers = (select array(
            select distinct s from unnest(t.speakers || string_to_array(g.speakers, ',')::int[]) as u (s) order by s)),
        with_assistant = t.with_assistant or g.with_assistant
    from unnest(%(thread)s::int8[], %(thread_position)s::int4[], %(thread_tokens)s::int4[], %(thread_speakers)s::text[],
        %(thread_assistant)s::bool[]) as g (id, next_position, tokens, speakers, with_assistant)
    where t.space_id = %(space)s::int4 and t.id = any(%(thread)s::int8[]) and t.id = g.id
)
select version, generation from space

-- name: refit_entries: what entries inherit after their neighbours changed
update core.recall_entries e set
    version = (select version from core.spaces where id = %(space)s), from_previous = r.from_previous, from_before = r.from_before, from_next = r.from_next,
    mixed_tokens = r.mixed_tokens, bits = r.bits
from unnest(%(id)s::int8[], %(from_previous)s::float4[], %(from_before)s::float4[], %(from_next)s::float4[],
    %(mixed_tokens)s::float4[], %(bits)s::varbit[]) as r (id, from_previous, from_before, from_next, mixed_tokens, bits)
where e.space_id = %(space)s and e.id = any(%(id)s::int8[]) and e.id = r.id

-- name: refit_vectors: the context vectors that go with it; those of other generations are made again where needed
with other as (
    delete from core.recall_vectors
    where space_id = %(space)s and entry_id = any(%(id)s::int8[])
        and generation = any(array(select id from core.recall_generations where id <> %(generation)s))
)
update core.recall_vectors v set context = r.context
from unnest(%(id)s::int8[], %(context)s::halfvec[]) as r (id, context)
where v.space_id = %(space)s and v.generation = %(generation)s and v.entry_id = any(%(id)s::int8[])
    and v.entry_id = r.id
