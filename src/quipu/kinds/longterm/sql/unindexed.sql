-- name: unindexed: live memories that the index does not know
select id, summary, details, user_name as "user", happened_at, created_at as recorded_at from longterm.long_term_memory
where space_id = %(space)s and entry_id is null and not archived
order by id
limit %(limit)s

-- name: held: of these memories those that the index does not know still, held; what others hold is left out
select id from longterm.long_term_memory
where space_id = %(space)s and id = any(%(ids)s::uuid[]) and entry_id is null and not archived
order by id
for update skip locked

-- name: filed: the entry of a memory, and its hash where no other live memory of the user has it
update longterm.long_term_memory m set
    entry_id = %(entry)s,
    hash = case when exists (
            select from longterm.long_term_memory o
            where o.space_id = m.space_id and o.user_name is not distinct from m.user_name and o.hash = %(form)s
                and not o.archived and o.id <> m.id)
        then m.hash else %(form)s end
where space_id = %(space)s and id = %(id)s

-- name: settle: recalls need not look any more, unless something waits
update core.spaces set unindexed = unindexed & ~16
where id = %(space)s and unindexed & 16 <> 0
    and not exists (
        select from longterm.long_term_memory where space_id = %(space)s and entry_id is null and not archived)
