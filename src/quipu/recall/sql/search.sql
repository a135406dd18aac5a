-- name: begin_serving: the first model of a database; whoever comes second takes what is there
insert into core.recall_generations (model, digest, dimensions, state)
values (%(model)s, %(digest)s, %(dimensions)s, 'serving')
on conflict do nothing

-- name: signatures: what the first pass over a space must know of each entry, since a version; all in one value
select string_agg(
    int8send(id) || int2send(kind) || int4send(owner) || timestamptz_send(happened_at) || varbit_send(bits), ''::bytea
)
from core.recall_entries
where space_id = %(space)s and version > %(version)s and bits is not null

-- name: signatures_of_person: the same of all entries that one person may see, found by their owner and by their sessions
--
-- The policies say what is theirs, but no index helps to find by them. Whatever is missing here is not found by
-- meaning, and nothing is shown that the policies hide.
select string_agg(
    int8send(id) || int2send(kind) || int4send(owner) || timestamptz_send(happened_at) || varbit_send(bits), ''::bytea
)
from (
    (
        select id, kind, owner, happened_at, bits
        from core.recall_entries
        where space_id = %(space)s and owner = (select core.number_of_person()) and owner > 0
        offset 0
    )
    union all
    select e.id, e.kind, e.owner, e.happened_at, e.bits
    from core.sessions s
    cross join lateral (
        select id, kind, owner, happened_at, bits
        from core.recall_entries
        where space_id = %(space)s and id between s.id << 24 and (s.id << 24) + 16777215 and owner = 0
        offset 0
    ) e
    where s.space_id = %(space)s
) theirs
where bits is not null

-- name: signatures_of_sessions: the same of what belongs to nobody in some sessions, up to a version
select string_agg(
    int8send(e.id) || int2send(e.kind) || int4send(e.owner) || timestamptz_send(e.happened_at) || varbit_send(e.bits),
    ''::bytea
)
from unnest(%(sessions)s::bigint[]) as s (id)
cross join lateral (
    select id, kind, owner, happened_at, bits
    from core.recall_entries
    where space_id = %(space)s and id between s.id << 24 and (s.id << 24) + 16777215 and owner = 0
        and version <= %(version)s
    offset 0
) e
where e.bits is not null

-- name: sessions_of_person: the numbers of the sessions that are one person's, all in one value
--
-- What belongs to nobody in a session is theirs from the moment the session is, which changes no entry.
select string_agg(int8send(id), ''::bytea) from core.sessions where space_id = %(space)s

-- name: names: everybody who spoke in the space, with the share of threads that they took part in
select n.id, n.name, t.threads::float8 / greatest(1, %(threads)s) as share
from (
    select speaker, count(*) as threads
    from core.recall_threads
    cross join lateral unnest(speakers) as s (speaker)
    where space_id = %(space)s
    group by speaker
) t
join core.recall_names n on n.space_id = %(space)s and n.id = t.speaker
order by t.threads desc, n.id
limit 1000

-- name: aliases: other names of people in the space
select alias, name from core.aliases where space_id = %(space)s order by alias, name limit 1000

-- name: owner: the number of a user
select id from core.recall_names where space_id = %(space)s and name = %(name)s

-- name: serving: the model that new spaces begin with
select id, model, digest, dimensions from core.recall_generations where state = 'serving'

-- name: generation: a model whose vectors are in the database
select id, model, digest, dimensions from core.recall_generations where id = %(id)s

-- name: search: the best entries of one space, every signal on one scale
--
-- The rarer words of the question find entries; these, and those beside them (for they inherit from them),
-- are scored by BM25F over own and inherited words, the common words included. The nearest by vector join
-- them, and the signals of who and when are added. One statement, so that everything competes with
-- everything.
with term as materialized (
    select hash, number from unnest(%(hashes)s::int4[], %(numbers)s::int4[]) as t (hash, number)
),
rarity as materialized (
    select number, entries,
           ln(1 + (%(entries)s - entries + 0.5::float8) / (entries + 0.5::float8)) as idf,
           sum(entries) over (order by entries, number) <= %(postings)s
               or row_number() over (order by entries, number) = 1 as finds
    from (
        select t.number, least(sum(f.entries), %(entries)s) as entries
        from term t
        cross join lateral (
            select entries from core.recall_terms where space_id = %(space)s and term = t.hash offset 0
        ) f
        group by t.number
    ) counted
    where entries > 0
),
own as materialized (
    select p.entry_id,
           sum(r.idf * p.occurrences * 2.2
               / (p.occurrences + 1.2 * (0.25 + 0.75::float8 * p.tokens / %(mean_tokens)s::float8))) as score
    from term t
    join rarity r on r.number = t.number and r.finds
    cross join lateral (
        select entry_id, occurrences, tokens
        from core.recall_postings
        where space_id = %(space)s and term = t.hash
        offset 0
    ) p
    group by p.entry_id
),
seed as materialized (
    (
        select entry_id from own where not %(filtered)s order by score desc, entry_id desc limit %(seeds)s
    )
    union all
    (
        -- Where a filter is given, what inherits from an entry competes in its place: the filter may hide the donor.
        select w.entry_id + around.step
        from (select entry_id, score from own where %(filtered)s order by score desc, entry_id desc) w
        cross join unnest(%(reach)s::int4[]) as around (step)
        cross join lateral (
            select
            from core.recall_entries e
            where e.space_id = %(space)s and e.id = w.entry_id + around.step
              and (%(kinds)s::int4[] is null or e.kind = any(%(kinds)s::int4[]))
              and (%(owners)s::int4[] is null or e.owner = any(%(owners)s::int4[]))
              and (%(ids)s::int8[] is null or e.id in (select unnest(%(ids)s::int8[])))
              and e.id between %(first)s and %(last)s
              and e.happened_at >= %(since)s and e.happened_at < %(until)s
              and case around.step when 1 then e.from_previous > 0 when 2 then e.from_before > 0
                                   when -1 then e.from_next > 0 else true end
            offset 0
        ) e
        order by w.score desc, w.entry_id desc
        limit %(seeds)s
    )
),
near as materialized (
    select id, cosine
    from (
        select id, cosine, row_number() over (order by cosine desc) as place
        from (
            select entry_id as id, -(context <#> %(vector)s)::float8 as cosine
            from core.recall_vectors
            where space_id = %(space)s and generation = %(generation)s and entry_id = any(%(near)s::int8[])
            offset 0
        ) v
    ) ordered
    where place <= %(pool)s or id = any(%(timely)s::int8[])
),
pool as materialized (
    select e.id, e.kind, e.happened_at, e.words, e.mixed_tokens, e.from_previous, e.from_before, e.from_next,
           e.speaker, e.by_user, e.has_time, e.asks
    from core.recall_entries e
    where e.space_id = %(space)s
      and e.id = any(array(
          select s.entry_id + step
          from seed s
          cross join (values (0), (1), (2), (-1)) as around (step)
          where step = 0 or s.entry_id > 0
          union all
          select id from near
      ))
      and (%(kinds)s::int4[] is null or e.kind = any(%(kinds)s::int4[]))
      and (%(owners)s::int4[] is null or e.owner = any(%(owners)s::int4[]))
      and (%(ids)s::int8[] is null or e.id in (select unnest(%(ids)s::int8[])))
      and e.id between %(first)s and %(last)s
      and e.happened_at >= %(since)s and e.happened_at < %(until)s
),
donor as materialized (
    select id, id as donor, 1.0::real as share from pool
    union all select id, id - 1, from_previous from pool where from_previous > 0
    union all select id, id - 2, from_before from pool where from_before > 0
    union all select id, id + 1, from_next from pool where from_next > 0
),
occurrence as materialized (
    -- rare words: all of their occurrences in the threads of the pool, if sessions count as a whole
    select p.entry_id, t.number, p.occurrences
    from term t
    join rarity r on r.number = t.number and r.entries <= %(rare)s and %(w_session)s::float8 > 0
    cross join lateral (
        select entry_id, occurrences
        from core.recall_postings
        where space_id = %(space)s and term = t.hash
        offset 0
    ) p
    where case when p.entry_id > 0 then p.entry_id >> 24 else p.entry_id end
        in (select case when id > 0 then id >> 24 else id end from pool)
    union all
    -- the others: looked up only where they count
    select p.entry_id, t.number, p.occurrences
    from term t
    join rarity r on r.number = t.number and not (r.entries <= %(rare)s and %(w_session)s::float8 > 0)
    cross join lateral (
        select entry_id, occurrences
        from core.recall_postings
        where space_id = %(space)s and term = t.hash and entry_id = any(array(select donor from donor))
        offset 0
    ) p
),
mixed as (
    select d.id, o.number, sum(d.share * o.occurrences) as occurrences
    from donor d
    join occurrence o on o.entry_id = d.donor
    group by d.id, o.number
),
asked as materialized (
    -- how rare all words of the question are, also those that the space does not have
    select coalesce((select sum(idf) from rarity), 0)
        + ((select count(distinct number) from term) - (select count(*) from rarity))
        * ln(1 + (%(entries)s + 0.5::float8) / 0.5) as idf
),
lexical as materialized (
    select id, score, covered, row_number() over (order by score desc, id desc) as place
    from (
        select m.id, sum(r.idf * least(1, m.occurrences)) as covered,
               sum(r.idf * m.occurrences * 2.2
                   / (m.occurrences + 1.2 * (0.25 + 0.75 * p.mixed_tokens / %(mean_mixed)s::float8))) as score
        from mixed m
        join rarity r using (number)
        join pool p using (id)
        group by m.id
    ) scored
),
thread_lexical as materialized (
    -- a session's words are as rare as the sessions that have them; said once, a word counts nearly in full
    select h.thread,
           sum(ln(1 + (greatest(%(threads)s, h.threads) - h.threads + 0.5::float8) / (h.threads + 0.5::float8))
               * h.occurrences * 1.6
               / (h.occurrences + 0.6 * (0.25 + 0.75::float8 * t.tokens / %(mean_thread)s::float8))) as score
    from (
        select o.entry_id >> 24 as thread, sum(o.occurrences)::float8 as occurrences,
               count(*) over (partition by o.number) as threads
        from occurrence o
        where o.entry_id > 0
        group by o.entry_id >> 24, o.number
    ) h
    cross join lateral (
        select tokens from core.recall_threads where space_id = %(space)s and id = h.thread offset 0
    ) t
    group by h.thread
),
part as (
    select p.id, p.kind,
           %(w_meaning)s * greatest(0, coalesce(n.cosine, v.cosine)) as meaning,
           %(w_words)s * coalesce(l.score / (select max(score) from lexical), 0) as words,
           %(w_session)s * coalesce(t.score / (select max(score) from thread_lexical), 0) as session,
           %(w_speaker)s * (p.speaker = any(%(speakers)s::int4[]))::int + %(w_asker)s * p.by_user::int as speaker,
           %(w_people)s * coalesce(th.speakers @> %(people)s::int4[], false)::int as people,
           %(w_date)s * coalesce(p.dated, 0) as date,
           %(w_when)s * p.has_time::int as "when",
           %(w_tells)s * (not p.asks or coalesce(th.with_assistant, true))::int as tells,
           %(w_length)s * ln(1 + least(p.words, 30)) as length,
           coalesce(n.cosine, v.cosine, 0) as cosine,
           coalesce(l.covered / (select nullif(idf, 0) from asked), 0) as coverage,
           l.score > 0 or coalesce(n.cosine, v.cosine) >= %(floor)s or p.dated > 0 as relevant
    from (
        select *, case when %(dated)s then (
            select max(case when happened_at < w.until then w.score
                            else w.after * exp(-extract(epoch from happened_at - w.until) / w.fade_seconds) end)
            from unnest(%(date_from)s::timestamptz[], %(date_until)s::timestamptz[], %(date_end)s::timestamptz[],
                        %(date_score)s::float8[], %(date_after)s::float8[], %(date_fade)s::float8[])
                as w (since, until, ends, score, after, fade_seconds)
            where happened_at >= w.since and happened_at < w.ends
        ) end as dated
        from pool
        offset 0
    ) p
    left join lexical l using (id)
    left join near n using (id)
    left join thread_lexical t on t.thread = p.id >> 24
    left join lateral (
        select speakers, with_assistant from core.recall_threads
        where p.id > 0 and space_id = %(space)s and id = p.id >> 24
        offset 0
    ) th on true
    left join lateral (
        select -(context <#> %(vector)s)::float8 as cosine
        from core.recall_vectors
        where n.id is null and space_id = %(space)s and generation = %(generation)s and entry_id = p.id
        offset 0
    ) v on true
    where l.place <= %(pool)s or n.id is not null
)
select id, kind, meaning, words, session, speaker, people, date, "when", tells, length, cosine, coverage
from part
where relevant
order by meaning + words + session + speaker + people + date + "when" + tells + length desc, id desc
limit %(limit)s

-- name: compared: what entries are compared by: the terms and the direction of their own text
select e.id, e.terms, halfvec_send(coalesce(v.own, v.context))
from unnest(%(ids)s::int8[]) as i (id)
cross join lateral (
    select id, terms from core.recall_entries where space_id = %(space)s and id = i.id offset 0
) e
cross join lateral (
    select own, context from core.recall_vectors
    where space_id = %(space)s and generation = %(generation)s and entry_id = i.id
    offset 0
) v
