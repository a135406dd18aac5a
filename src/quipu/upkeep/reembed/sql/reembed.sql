-- name: hold_registration: one at a time decides which model comes next
select pg_advisory_xact_lock(7310522002)

-- name: others_at_work: the models to which another process is changing just now
select model from core.recall_generations where digest <> %(digest)s and not pg_try_advisory_xact_lock(73105, id)

-- name: give_up_others: what was begun for another model, by a process that is gone, will not be finished
update core.recall_generations set state = 'retired' where state = 'building' and digest <> %(digest)s

-- name: register: the generation of a model; one that served before is taken up again
insert into core.recall_generations as g (model, digest, dimensions, state)
values (%(model)s, %(digest)s, %(dimensions)s, 'building')
on conflict (digest) do update set
    model = excluded.model,
    state = case g.state when 'retired' then 'building' else g.state end
returning id, model, digest, dimensions

-- name: be_at_work: say, as long as this connection lives, that this change is under way
select pg_advisory_lock_shared(73105, %(generation)s)

-- name: let_go: nothing is under way on this connection any more
select pg_advisory_unlock_all()

-- name: claim: whether this process may work on a space, as long as this connection lives
select pg_try_advisory_lock(73106, %(space)s)

-- name: release: let others work on a space
select pg_advisory_unlock(73106, %(space)s)

-- name: retire: the model that served until now
update core.recall_generations set state = 'retired' where state = 'serving' and id <> %(generation)s

-- name: serve: the model that new spaces begin with from now on
update core.recall_generations set state = 'serving' where id = %(generation)s and state <> 'serving'

-- name: retired: generations whose vectors may go
select id from core.recall_generations where state = 'retired' order by id

-- name: all_spaces: the spaces that have entries, the fullest last
select id, name, generation, entries from core.spaces where generation is not null order by entries, id

-- name: missing: entries without a vector of a generation, in the order of their ids
select e.id, e.from_previous, e.from_before, e.from_next
from core.recall_entries e
where e.space_id = %(space)s and e.id > %(after)s
    and (
        select v.entry_id
        from core.recall_vectors v
        where v.space_id = %(space)s and v.generation = %(generation)s and v.entry_id = e.id
    ) is null
order by e.id
limit %(limit)s

-- name: own_vectors: the directions that entries have by themselves
select entry_id, halfvec_send(coalesce(own, context)) as own
from core.recall_vectors
where space_id = %(space)s and generation = %(generation)s and entry_id = any(%(ids)s::int8[])

-- name: contents: of which kind entries are, and their text where no other table keeps it
select id, kind, content from core.recall_entries where space_id = %(space)s and id = any(%(ids)s::int8[])

-- name: file_vectors: vectors of entries that are still there and inherit what they did when they were read
--
-- The entries are held until this is committed; those that somebody is changing or erasing are left out.
insert into core.recall_vectors (space_id, generation, entry_id, own, context)
select %(space)s, %(generation)s, g.id, case when g.id > 0 then g.own end, g.context
from unnest(%(id)s::int8[], %(from_previous)s::float4[], %(from_before)s::float4[], %(from_next)s::float4[],
    %(own)s::halfvec[], %(context)s::halfvec[]) as g (id, from_previous, from_before, from_next, own, context)
cross join lateral (
    select
    from core.recall_entries
    where space_id = %(space)s and id = g.id and from_previous = g.from_previous and from_before = g.from_before
        and from_next = g.from_next
    for share skip locked
) held
on conflict do nothing

-- name: set_signs: the signs of the new vectors become those of the entries
update core.recall_entries e set bits = binary_quantize(v.context)::bit varying
from core.recall_vectors v
where e.space_id = %(space)s and v.space_id = %(space)s and v.generation = %(generation)s and v.entry_id = e.id

-- name: change_over: from here on the space is searched by these vectors; copies of it are to be dropped
update core.spaces set generation = %(generation)s, version = version + 1, epoch = epoch + 1 where id = %(space)s

-- name: remove_vectors: some vectors of a generation that the space has left
delete from core.recall_vectors
where space_id = %(space)s and generation = %(generation)s and entry_id = any(array(
    select entry_id
    from core.recall_vectors
    where space_id = %(space)s and generation = %(generation)s
        and generation <> (select generation from core.spaces where id = %(space)s)
    order by entry_id
    limit %(limit)s
))

-- name: plan: how much is left to do for a model, known by its digest or not at all, and which one serves
with known as (
    select id from core.recall_generations where digest = %(digest)s
)
select
    greatest(0, (
        select coalesce(sum(entries), 0) from core.spaces
    ) - (
        select count(*) from core.recall_vectors v join known k on k.id = v.generation
    ))::int8 as entries,
    (
        select count(*) from core.spaces where generation is not null and generation not in (select id from known)
    )::int8 as spaces,
    coalesce((
        select model from core.recall_generations where state = 'serving'
    ), '') as previous

-- name: latest: the model that is being changed to, else the one that serves
select id, model, digest, dimensions from core.recall_generations where state in ('building', 'serving')
order by state, id desc
limit 1

-- name: unfinished: the model of a change that is not complete everywhere and that nobody is at work on
select g.id, g.model, g.digest, g.dimensions
from core.recall_generations g
where (
    g.state = 'building'
    or g.state = 'serving' and exists (
        select from core.spaces s where s.generation is not null and s.generation <> g.id
    )
) and pg_try_advisory_xact_lock(73105, g.id)
order by g.state, g.id desc
limit 1
