-- name: activity: the latest sessions of people, subagents left out
select
    s.name as id,
    d.project_path,
    coalesce(d.custom_title, d.ai_title, d.summary, left(d.first_prompt, 200)) as title,
    d.git_branch,
    coalesce(d.first_line_at, s.started_at) as first_timestamp,
    coalesce(d.last_line_at, s.last_at) as last_timestamp,
    (
        select count(*) from transcripts.lines l
        where l.space_id = d.space_id and l.session_id = d.session_id and l.is_prompt
    )::integer as prompts
from transcripts.session_details d
join core.sessions s on s.space_id = d.space_id and s.id = d.session_id
where d.space_id = %(space)s
    and d.parent_session is null
    and s.name is distinct from %(session)s::text
    and (%(project)s::text is null or d.project_path = %(project)s or starts_with(d.project_path, %(below)s)
        or right(d.project_path, length(%(named)s)) = %(named)s)
order by coalesce(d.last_line_at, s.last_at) desc nulls last, s.id desc
limit %(limit)s

-- name: lessons: active memories that are no tasks, the surest of today first
--
-- Confidence halves in %(half_life_days)s days since the memory was made, confirmed or used.
select
    m.id::text as id, m.fact, m.category,
    (coalesce(m.confidence, 0.5) * power(0.5, greatest(extract(epoch from
        %(now)s - greatest(m.created_at, m.confirmed_at, m.used_at)), 0) / 86400 / %(half_life_days)s))::real as confidence,
    m.session_id, m.happened_at
from transcripts.memories m
where m.space_id = %(space)s
    and m.status = 'active'
    and (m.category = 'todo') is not true
    and (%(entries)s::int8[] is null or m.entry_id = any(%(entries)s::int8[]))
    and (%(project)s::text is null or m.project_path = '' or m.project_path = %(project)s
        or starts_with(m.project_path, %(below)s) or right(m.project_path, length(%(named)s)) = %(named)s)
order by array_position(%(entries)s::int8[], m.entry_id), 4 desc, m.created_at desc, m.id
limit %(limit)s

-- name: files: the files that were edited most since a moment; a call that a resumed session repeats counts once
select t.path, count(distinct t.id)::integer as edits, count(distinct t.session_id)::integer as sessions
from transcripts.tool_calls t
join transcripts.session_details d on d.space_id = t.space_id and d.session_id = t.session_id
where t.space_id = %(space)s
    and t.path is not null
    and t.tool_name = any(%(editing)s::text[])
    and t.happened_at >= %(since)s
    and (%(project)s::text is null or d.project_path = %(project)s or starts_with(d.project_path, %(below)s)
        or right(d.project_path, length(%(named)s)) = %(named)s)
group by t.path
order by edits desc, max(t.happened_at) desc, t.path
limit %(limit)s

-- name: todos: what is left open: in memories, in the list that an agent kept last, in the tasks of teams
with last_list as (
    select t.session_id, t.tool_input, t.happened_at
    from transcripts.tool_calls t
    join transcripts.session_details d on d.space_id = t.space_id and d.session_id = t.session_id
    where t.space_id = %(space)s
        and t.tool_name = 'TodoWrite'
        and jsonb_typeof(t.tool_input -> 'todos') = 'array'
        and d.parent_session is null
        and (%(project)s::text is null or d.project_path = %(project)s or starts_with(d.project_path, %(below)s)
            or right(d.project_path, length(%(named)s)) = %(named)s)
    order by t.happened_at desc, t.id desc
    limit 1
), found as (
    select m.fact as text, 'open' as status, 'memory' as source, m.session_id, m.happened_at, 2 as place, 0::bigint as nth
    from transcripts.memories m
    where m.space_id = %(space)s
        and m.status = 'active'
        and m.category = 'todo'
        and (%(project)s::text is null or m.project_path = '' or m.project_path = %(project)s
            or starts_with(m.project_path, %(below)s) or right(m.project_path, length(%(named)s)) = %(named)s)
    union all
    select todo ->> 'content', todo ->> 'status', 'list', s.name, last_list.happened_at, 1, nth
    from last_list
    cross join lateral jsonb_array_elements(last_list.tool_input -> 'todos') with ordinality as listed (todo, nth)
    join core.sessions s on s.space_id = %(space)s and s.id = last_list.session_id
    where todo ->> 'status' in ('pending', 'in_progress') and todo ->> 'content' <> ''
    union all
    select coalesce(k.subject, k.description), k.status, 'team', t.lead_session_id, k.created_at, 3, 0
    from transcripts.team_tasks k
    join transcripts.teams t on t.space_id = k.space_id and t.id = k.team_id
    left join core.sessions s on s.space_id = t.space_id and s.name = t.lead_session_id
    left join transcripts.session_details d on d.space_id = s.space_id and d.session_id = s.id
    where k.space_id = %(space)s
        and k.status in ('pending', 'in_progress')
        and coalesce(k.subject, k.description) <> ''
        and (%(project)s::text is null or d.project_path = %(project)s or starts_with(d.project_path, %(below)s)
            or right(d.project_path, length(%(named)s)) = %(named)s)
)
select text, status, source, session_id from found
order by place, happened_at desc nulls last, nth, text
limit %(limit)s
