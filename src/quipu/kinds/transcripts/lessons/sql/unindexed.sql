-- name: unindexed: active memories that the index does not know
select id, fact, happened_at, coalesce(created_at, happened_at) as recorded_at from transcripts.memories
where space_id = %(space)s and entry_id is null and status = 'active'
order by id
limit %(limit)s

-- name: held: of these memories those that the index does not know still, held; what others hold is left out
select id from transcripts.memories
where space_id = %(space)s and id = any(%(ids)s::uuid[]) and entry_id is null and status = 'active'
order by id
for update skip locked

-- name: filed: the entry of a memory, and its form where no other active memory of the project has it
update transcripts.memories m set
    entry_id = %(entry)s,
    normal_form = case when exists (
            select from transcripts.memories o
            where o.space_id = m.space_id and o.project_path = m.project_path and o.category = m.category
                and o.normal_form = %(form)s and o.status = 'active' and o.id <> m.id)
        then m.normal_form else %(form)s end
where space_id = %(space)s and id = %(id)s

-- name: settle: recalls need not look any more, unless something waits
update core.spaces set unindexed = unindexed & ~4
where id = %(space)s and unindexed & 4 <> 0
    and not exists (
        select from transcripts.memories where space_id = %(space)s and entry_id is null and status = 'active')
