-- name: openai_agents_items: the items of all sessions
select * from {table} order by session_id, id

-- name: openai_agents_branched: the items of all sessions with the branch of each: the main one, if it is of several
select m.*, case when s.is_main then 'main' else s.branch_id end as branch_id
from {table} m
left join (
    select message_id, max(branch_id = 'main') as is_main, min(branch_id) as branch_id
    from message_structure
    group by message_id
) s on s.message_id = m.id
order by m.session_id, m.id

-- name: openai_agents_count: how many rows a table has
select count(*) as count from {table}
