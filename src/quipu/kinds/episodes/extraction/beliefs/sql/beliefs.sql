-- name: about: what stands about a person, or is contested
--
-- again: how often it was said since the conflict about it began.
select b.id, b.person, b.key, b.value, b.form, b.nature, b.category, b.confidence::float8 as confidence, b.source,
    b.state = 'contested' as contested, o.times, o.again, b.said_at, o.messages
from episodes.beliefs b
cross join lateral (
    select count(*)::integer as times, coalesce(array_agg(s.message_id), '{}') as messages,
        count(*) filter (where s.said_at > (
            select max(c.opened_at) from episodes.conflicts c
            where c.space_id = b.space_id and b.id in (c.belief_id, c.rival_id) and c.resolved_at is null))::integer as again
    from episodes.belief_sources s
    where s.space_id = b.space_id and s.belief_id = b.id
) o
where b.space_id = %(space)s and b.person = %(person)s and b.state in ('standing', 'contested')
order by b.said_at, b.id

-- name: insert: a belief
insert into episodes.beliefs (space_id, id, person, user_name, key, slot, value, form, nature, category, confidence,
    source, state, by_hand, first_said_at, said_at, ending, ended_at, entry_id)
values (%(space)s, %(id)s, %(person)s, %(user)s, %(key)s, %(slot)s, %(value)s, %(form)s, %(nature)s, %(category)s,
    %(confidence)s, %(source)s, %(state)s, %(by_hand)s, %(said_at)s, %(said_at)s, %(ending)s, %(ended_at)s, %(entry)s)

-- name: insert_source: a message that says it
insert into episodes.belief_sources (space_id, belief_id, message_id, excerpt, said_at)
select %(space)s, %(belief)s, m.id, %(excerpt)s, %(said_at)s from core.messages m
where m.space_id = %(space)s and m.id = %(message)s
on conflict do nothing

-- name: confirm: it was said again
update episodes.beliefs
set confidence = greatest(confidence, %(confidence)s), said_at = greatest(said_at, %(said_at)s),
    first_said_at = least(first_said_at, %(said_at)s),
    source = case when source = 'inferred' and %(source)s <> 'inferred' then %(source)s else source end
where space_id = %(space)s and id = %(id)s

-- name: end: beliefs stand no longer
update episodes.beliefs
set state = 'superseded', ending = %(ending)s, ended_at = %(at)s, entry_id = null
where space_id = %(space)s and id = any(%(ids)s::uuid[]) and state <> 'superseded'

-- name: succeed: what stands instead of beliefs
update episodes.beliefs set successor = %(successor)s
where space_id = %(space)s and id = any(%(ids)s::uuid[]) and id <> %(successor)s

-- name: entries: the entries of beliefs in the index
select entry_id from episodes.beliefs
where space_id = %(space)s and id = any(%(ids)s::uuid[]) and entry_id is not null
order by entry_id

-- name: stand: a contested belief stands from now on
update episodes.beliefs set state = 'standing', entry_id = %(entry)s
where space_id = %(space)s and id = %(id)s and state = 'contested'

-- name: stand_again: a belief that was said to be wrong stands after all
update episodes.beliefs set state = 'standing', ending = null, ended_at = null, successor = null, entry_id = %(entry)s
where space_id = %(space)s and id = %(id)s and ending = 'wrong'

-- name: stands: what stands in the place of a belief
select id from episodes.beliefs
where space_id = %(space)s and person = %(person)s and key = %(key)s and slot = %(slot)s and state = 'standing'

-- name: derived: beliefs as statements that were derived from messages, by ids or messages
select 'belief' as kind, b.id, replace(b.key, '_', ' ') || ': ' || b.value as text, b.key as rule, '' as reader,
    o.messages, b.state <> 'superseded' as live
from episodes.beliefs b
cross join lateral (
    select coalesce(array_agg(s.message_id), '{}') as messages from episodes.belief_sources s
    where s.space_id = b.space_id and s.belief_id = b.id
) o
where b.space_id = %(space)s
    and (%(ids)s::uuid[] is null or b.id = any(%(ids)s))
    and (%(messages)s::int8[] is null or b.id in (
        select s.belief_id from episodes.belief_sources s
        where s.space_id = %(space)s and s.message_id = any(%(messages)s)))

-- name: count_of_rule: how many beliefs of a key were read in messages
select count(*) from episodes.beliefs b
where b.space_id = %(space)s and b.key = %(rule)s and exists (
    select from episodes.belief_sources s where s.space_id = b.space_id and s.belief_id = b.id)

-- name: contest: two values of which one is so
insert into episodes.conflicts (space_id, belief_id, rival_id, severity, opened_at)
values (%(space)s, %(belief)s, %(rival)s, %(severity)s, %(at)s)

-- name: settle: the conflicts of beliefs are settled
update episodes.conflicts set state = %(state)s, strategy = %(strategy)s, resolved_at = %(at)s
where space_id = %(space)s and (belief_id = any(%(ids)s::uuid[]) or rival_id = any(%(ids)s::uuid[]))
    and resolved_at is null

-- name: surface: somebody was asked about a conflict
update episodes.conflicts set state = 'surfaced', surfaced = surfaced + 1, surfaced_at = %(at)s
where space_id = %(space)s and id = %(id)s and resolved_at is null

-- name: stale: conflicts of which nothing was heard since a time
select c.belief_id, c.rival_id from episodes.conflicts c
join episodes.beliefs b on b.space_id = c.space_id and b.id = c.belief_id
join episodes.beliefs r on r.space_id = c.space_id and r.id = c.rival_id
where c.space_id = %(space)s and c.resolved_at is null
    and greatest(c.opened_at, c.surfaced_at, b.said_at, r.said_at) < %(before)s
order by c.id

-- name: conflicts: conflicts with both sides, the worst first
select c.id, c.belief_id as belief, c.rival_id as rival, c.severity, c.state, c.surfaced, c.opened_at, c.resolved_at,
    c.strategy
from episodes.conflicts c
join episodes.beliefs b on b.space_id = c.space_id and b.id = c.belief_id
where c.space_id = %(space)s
    and (%(id)s::uuid is null or c.id = %(id)s)
    and (%(of)s::uuid is null or %(of)s in (c.belief_id, c.rival_id))
    and (%(person)s::text is null or b.person = %(person)s)
    and (%(all)s or c.resolved_at is null)
order by array_position(array['low', 'medium', 'high', 'critical'], c.severity) - c.surfaced desc, c.opened_at desc, c.id
limit %(limit)s

-- name: beliefs: beliefs, the surest first
select b.id, b.person, b.key, b.value, b.nature, b.category, b.confidence::float8 as confidence, b.source, b.state,
    (select count(*) from episodes.belief_sources s
        where s.space_id = b.space_id and s.belief_id = b.id)::integer as times,
    b.first_said_at, b.said_at, b.ending, b.ended_at, b.successor,
    coalesce(b.valid_from, b.first_said_at) as valid_from, b.valid_until
from episodes.beliefs b
where b.space_id = %(space)s
    and (%(ids)s::uuid[] is null or b.id = any(%(ids)s))
    and (%(person)s::text is null or b.person = %(person)s)
    and (%(key)s::text is null or b.key = %(key)s)
    and (%(state)s::text is null or b.state = %(state)s)
    and (%(current_at)s::timestamptz is null or b.valid_until is null or b.valid_until > %(current_at)s)
order by b.confidence desc, b.said_at desc, b.id
limit %(limit)s offset %(offset)s

-- name: sources: where a belief was said, the latest first
select m.external_id as message, s.name as session, o.excerpt, o.said_at
from episodes.belief_sources o
join core.messages m on m.space_id = o.space_id and m.id = o.message_id
left join core.sessions s on s.space_id = m.space_id and s.id = m.session_id
where o.space_id = %(space)s and o.belief_id = %(id)s
order by o.said_at desc, m.id desc

-- name: row: what changing a belief needs to know
select id, person, user_name as "user", key, slot, value, nature, category, state, said_at, entry_id as entry
from episodes.beliefs where space_id = %(space)s and id = %(id)s

-- name: ids_like: beliefs whose id begins so
select id from episodes.beliefs where space_id = %(space)s and id::text like %(prefix)s order by id limit 2

-- name: conflict_ids_like: conflicts whose id begins so
select id from episodes.conflicts where space_id = %(space)s and id::text like %(prefix)s order by id limit 2

-- name: beside: what else is held of a person and key: contested, or standing in one of these slots; the surest first
select id from episodes.beliefs
where space_id = %(space)s and person = %(person)s and key = %(key)s and id <> %(id)s
    and (state = 'contested' or state = 'standing' and slot = any(%(slots)s::text[]))
order by confidence desc, said_at desc, id

-- name: cited: what stands, by the id of its entry, with its last source
select b.entry_id as entry, b.id, b.person, b.user_name as "user", b.key, b.value, b.nature, b.said_at, s.name as session,
    coalesce(m.recorded_at, b.said_at) as recorded_at
from episodes.beliefs b
left join lateral (
    select o.message_id from episodes.belief_sources o
    where o.space_id = b.space_id and o.belief_id = b.id
    order by o.said_at desc, o.message_id desc limit 1
) o on true
left join core.messages m on m.space_id = b.space_id and m.id = o.message_id
left join core.sessions s on s.space_id = b.space_id and s.id = m.session_id
where b.space_id = %(space)s and b.entry_id = any(%(ids)s::int8[]) and b.state = 'standing'

-- name: doomed: beliefs that rest on nothing but what is erased, or are of a person who goes, with their entries
select b.id, b.entry_id from episodes.beliefs b
where b.space_id = %(space)s
    and (%(everything)s or b.person = %(person)s::text or b.user_name = %(person)s::text
        or (exists (
                select from episodes.belief_sources o
                where o.space_id = b.space_id and o.belief_id = b.id and o.message_id = any(%(ids)s::int8[]))
            and not exists (
                select from episodes.belief_sources o
                where o.space_id = b.space_id and o.belief_id = b.id and o.message_id <> all(%(ids)s::int8[]))))

-- name: restated: beliefs that lose messages and keep others: what both say
select b.id, b.entry_id, b.value,
    array_agg(m.content) filter (where m.id = any(%(ids)s::int8[])),
    array_agg(m.content) filter (where m.id <> all(%(ids)s::int8[]))
from episodes.beliefs b
join episodes.belief_sources o on o.space_id = b.space_id and o.belief_id = b.id
join core.messages m on m.space_id = o.space_id and m.id = o.message_id
where b.space_id = %(space)s and b.id <> all(%(doomed)s::uuid[]) and exists (
    select from episodes.belief_sources g
    where g.space_id = b.space_id and g.belief_id = b.id and g.message_id = any(%(ids)s::int8[]))
group by b.space_id, b.id

-- name: delete: take beliefs, with sources and conflicts
delete from episodes.beliefs where space_id = %(space)s and id = any(%(ids)s::uuid[])

-- name: erase_sources: what messages that go said of beliefs that stay
delete from episodes.belief_sources where space_id = %(space)s and message_id = any(%(ids)s::int8[])

-- name: redate: when a belief was said, by what is left of its sources
update episodes.beliefs b set first_said_at = o.first_at, said_at = o.last_at
from (
    select belief_id, min(said_at) as first_at, max(said_at) as last_at
    from episodes.belief_sources where space_id = %(space)s group by belief_id
) o
where b.space_id = %(space)s and b.id = o.belief_id and (b.first_said_at <> o.first_at or b.said_at <> o.last_at)
    and not b.by_hand

-- name: end_free: contested beliefs in no conflict any more, since what they contested is gone: nothing vouches for them
update episodes.beliefs b
set state = 'superseded', ending = 'weaker', ended_at = b.said_at
where b.space_id = %(space)s and b.state = 'contested' and not exists (
    select from episodes.conflicts c where c.space_id = b.space_id and c.rival_id = b.id and c.resolved_at is null)

-- name: hold: nothing; beliefs are held each by itself
select 1

-- name: unindexed: standing beliefs that the index does not know, as an archive brings them
select id, person, key, value, nature, user_name as "user", said_at
from episodes.beliefs
where space_id = %(space)s and entry_id is null and state = 'standing'
order by id
limit %(limit)s

-- name: held: of these beliefs those that the index does not know still, held; what others hold is left out
select id from episodes.beliefs
where space_id = %(space)s and id = any(%(ids)s::uuid[]) and entry_id is null and state = 'standing'
order by id
for update skip locked

-- name: filed: the entries of beliefs
update episodes.beliefs b set entry_id = g.entry
from unnest(%(ids)s::uuid[], %(entries)s::int8[]) as g (id, entry)
where b.space_id = %(space)s and b.id = g.id
