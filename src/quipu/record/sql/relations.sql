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
where excluded.made_by = 'person'
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
