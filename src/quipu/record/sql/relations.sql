-- name: add_relations: link statements with those that they replace; those that are gone or come later are left out
--
-- What a person took back stays so, unless a person adds it.
insert into core.relations as r (space_id, newer, older, reason, made_by, strength, created_at)
select distinct on (l.newer, l.older) %(space)s, l.newer, l.older, l.reason, %(made_by)s::text, l.strength, %(now)s::timestamptz
from unnest(%(newer)s::int8[], %(older)s::int8[], %(reason)s::text[], %(strength)s::float4[])
    as l (newer, older, reason, strength)
cross join lateral (
    select happened_at from core.messages where space_id = %(space)s and id = l.newer offset 0
) n
cross join lateral (
    select happened_at from core.messages where space_id = %(space)s and id = l.older offset 0
) o
where l.newer <> l.older and n.happened_at >= o.happened_at
    and not exists (
        select from core.relations b
        where b.space_id = %(space)s and b.newer = l.older and b.older = l.newer and b.removed_at is null)
order by l.newer, l.older, l.strength desc
on conflict (space_id, newer, older) do update
set reason = coalesce(excluded.reason, r.reason), made_by = excluded.made_by, strength = excluded.strength,
    created_at = excluded.created_at, removed_at = null, removed_by = null
where excluded.made_by = 'source' and r.made_by = 'rule' and r.removed_at is null or excluded.made_by = 'person'
    and (r.made_by = 'rule' or r.removed_at is not null or r.reason <> excluded.reason
        or r.reason is null and excluded.reason is not null)

-- name: remove_relation: take a link back; the row stays
update core.relations set removed_at = %(now)s, removed_by = %(removed_by)s
where space_id = %(space)s and newer = %(newer)s and older = %(older)s and removed_at is null

-- name: relations_of: what messages replace and what replaces them; a link between two of them comes twice
--
-- Looked up message by message: by = any, a planner that takes the table for small reads all links of the space.
select r.newer, r.older, r.relation, r.reason, r.made_by, r.strength, r.created_at, r.removed_at, r.removed_by
from unnest(%(ids)s::int8[]) as i (id)
cross join lateral (
    select * from core.relations where space_id = %(space)s and newer = i.id and (removed_at is null or %(removed)s)
    union all
    select * from core.relations where space_id = %(space)s and older = i.id and (removed_at is null or %(removed)s)
) r

-- name: cite_linked: messages, and behind them their links that hold, oldest first, with the ends that are none of them
select l.newer, l.older, l.reason, l.ended, m.*
from (
    select id, null::int8 as newer, null::int8 as older, null as reason, false as ended, null::timestamptz as created_at
    from unnest(%(ids)s::int8[]) as i (id)
    union all
    select r.other, r.newer, r.older, r.reason, r.made_by = 'source', r.created_at
    from unnest(%(ids)s::int8[]) as i (id)
    cross join lateral (
        select newer, older, reason, made_by, created_at, older as other from core.relations
        where space_id = %(space)s and newer = i.id and removed_at is null
        union all
        select newer, older, reason, made_by, created_at, newer from core.relations
        where space_id = %(space)s and older = i.id and removed_at is null and newer <> all(%(ids)s::int8[])
    ) r
) l
left join lateral (
    select m.id, m.external_id, s.name, m.role, m.speaker, m.user_name, m.happened_at, m.recorded_at, m.content,
        nullif(m.metadata, '{}') as metadata
    from core.messages m
    left join lateral (
        select name from core.sessions where space_id = %(space)s and id = m.session_id offset 0
    ) s on true
    where m.space_id = %(space)s and m.id = l.id and (l.newer is null or m.id <> all(%(ids)s::int8[]))
    offset 0
) m on true
order by l.created_at nulls first, l.newer, l.older

-- name: replaces: whether a message replaces another, by any number of links
with recursive replaced (id) as (
    select older from core.relations where space_id = %(space)s and newer = %(newer)s and removed_at is null
    union
    select r.older from core.relations r join replaced p on r.newer = p.id
    where r.space_id = %(space)s and r.removed_at is null
)
select exists (select from replaced where id = %(older)s)

-- name: count_relations: links that go with messages
select count(distinct (r.newer, r.older)) from unnest(%(ids)s::int8[]) as i (id)
cross join lateral (
    select newer, older from core.relations where space_id = %(space)s and newer = i.id
    union all
    select newer, older from core.relations where space_id = %(space)s and older = i.id
) r

-- name: named_messages: the messages that have an id of the caller's, those of one session or of all
select m.id, m.session_id from core.messages m
where m.space_id = %(space)s and m.external_id = %(external_id)s
    and (%(session)s::text is null
        or m.session_id = (select id from core.sessions where space_id = %(space)s and name = %(session)s))
order by m.id

-- name: earlier_statements: of new messages, the nearest earlier statements of the same person in other sessions
--
-- Looked through are the last of that person, however large the space is; of these the nearest by sign bits are
-- compared exactly. A term is rare if one entry in 200 has it, or three altogether.
select n.id as newer, c.id as older, left(m.content, 600) as text, -(n.own <#> v.own)::float8 as cosine,
    (select count(*) from unnest(n.terms) as t (term)
        where t.term = any(c.terms) and exists (
            select from core.recall_terms r where r.space_id = %(space)s and r.term = t.term and r.entries <= s.rare)
    )::int4 as rare_terms
from unnest(%(ids)s::int8[]) as i (id)
cross join lateral (
    select greatest(3, entries / 200) as rare, generation from core.spaces where id = %(space)s offset 0
) s
cross join lateral (
    select e.id, e.happened_at, e.speaker, e.owner, e.bits, e.terms, coalesce(w.own, w.context) as own
    from core.recall_entries e
    join core.recall_vectors w on w.space_id = e.space_id and w.generation = s.generation and w.entry_id = e.id
    where e.space_id = %(space)s and e.id = i.id
    offset 0
) n
cross join lateral (
    select l.id, l.terms
    from (
        select id, bits, terms
        from core.recall_entries
        where space_id = %(space)s and kind = 1 and by_user and not asks and speaker = n.speaker and owner = n.owner
        order by id desc
        limit %(latest)s
    ) l
    where l.id <> n.id and (l.id < 0 or l.id >> 24 <> n.id >> 24) and length(l.bits) = length(n.bits)
    order by bit_count(l.bits # n.bits)
    limit %(nearest)s
) c
cross join lateral (
    select coalesce(own, context) as own from core.recall_vectors
    where space_id = %(space)s and generation = s.generation and entry_id = c.id
    offset 0
) v
cross join lateral (
    select content, happened_at from core.messages where space_id = %(space)s and id = c.id offset 0
) m
where m.happened_at < n.happened_at
