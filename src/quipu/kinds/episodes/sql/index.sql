-- name: unindexed: episodes that were changed by SQL, with the text that is to be found
select id, entry_id, user_name as "user", started_at, created_at, gist, outcome, topic,
    deleted_at is not null as deleted
from episodes.stored_episodes
where space_id = %(space)s and refile and emptied_at is null
order by id
limit %(limit)s

-- name: held: which of these the index does not know still; nobody changes them meanwhile, and nobody is waited for
select id from episodes.stored_episodes
where space_id = %(space)s and id = any(%(ids)s::uuid[]) and refile and emptied_at is null
order by id
for update skip locked

-- name: refiled: the index has followed
update episodes.stored_episodes set refile = false, entry_id = %(entry)s where space_id = %(space)s and id = %(id)s

-- name: settle: recalls need not look any more, unless something has come meanwhile
update core.spaces set unindexed = unindexed & ~8
where id = %(space)s and unindexed & 8 <> 0
    and not exists (select from episodes.stored_episodes where space_id = %(space)s and refile)
    and not exists (select from episodes.beliefs where space_id = %(space)s and entry_id is null and state = 'standing')

-- name: sources: the messages that episodes and beliefs rest on, by the id of their entry
select e.entry_id, array_agg(o.message_id order by o.message_id)
from episodes.stored_episodes e
join episodes.episode_messages o on o.space_id = e.space_id and o.episode_id = e.id
where e.space_id = %(space)s and e.entry_id = any(%(ids)s::int8[])
group by e.entry_id
union all
select b.entry_id, array_agg(o.message_id order by o.message_id)
from episodes.beliefs b
join episodes.belief_sources o on o.space_id = b.space_id and o.belief_id = b.id
where b.space_id = %(space)s and b.entry_id = any(%(ids)s::int8[])
group by b.entry_id

-- name: ended: which entries tell of what held once, and from when to when
select entry_id, coalesce(valid_from, first_said_at), valid_until from episodes.beliefs
where space_id = %(space)s and entry_id = any(%(ids)s::int8[]) and valid_until <= %(now)s
