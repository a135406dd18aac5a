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
-- Confidence halves in %(half_life_days)s days since the memory was made, confirmed or used, but for what lasts;
-- after 100 times nothing is left to tell, and no number holds the rest of a thousand.
select
    m.id::text as id, m.fact, m.category,
    coalesce(m.confidence, 0.5) * case when m.category = any(%(lasting)s::text[])
        or (m.category = any(%(in_projects)s::text[]) and m.project_path <> '') then 1::float8 else
        power(0.5::float8, least(100, greatest(extract(epoch from
        %(now)s - greatest(m.created_at, m.confirmed_at, m.used_at)), 0) / 86400 / %(half_life_days)s)) end as confidence,
    m.session_id, m.happened_at
from transcripts.memories m
where m.space_id = %(space)s
    and m.status = 'active'
    and (m.valid_until is null or m.valid_until > %(now)s)
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
--
-- A list is written whole by TodoWrite, or task by task by TaskCreate (which answers "Task #1 created …") and
-- TaskUpdate. A task of the list is not told again from its file among the tasks of teams.
with last_list as (
    select t.session_id, t.tool_name, t.tool_input, t.happened_at
    from transcripts.tool_calls t
    join transcripts.session_details d on d.space_id = t.space_id and d.session_id = t.session_id
    where t.space_id = %(space)s
        and (t.tool_name = 'TodoWrite' and jsonb_typeof(t.tool_input -> 'todos') = 'array'
            or t.tool_name in ('TaskCreate', 'TaskUpdate'))
        and d.parent_session is null
        and (%(project)s::text is null or d.project_path = %(project)s or starts_with(d.project_path, %(below)s)
            or right(d.project_path, length(%(named)s)) = %(named)s)
    order by t.happened_at desc, t.id desc
    limit 1
), tasks as (
    select c.session_id, s.name as session, c.happened_at, row_number() over (order by c.happened_at, c.id) as nth,
        coalesce(u.subject, c.tool_input ->> 'subject') as subject, coalesce(u.status, 'pending') as status
    from last_list
    join core.sessions s on s.space_id = %(space)s and s.id = last_list.session_id
    join transcripts.tool_calls c
        on c.space_id = %(space)s and c.session_id = last_list.session_id and c.tool_name = 'TaskCreate'
    join transcripts.tool_results r
        on r.space_id = %(space)s and r.session_id = c.session_id and r.tool_call_id = c.id and not r.is_error
    cross join lateral (
        select (array_agg(u.tool_input ->> 'status' order by u.happened_at desc, u.id desc)
                filter (where u.tool_input ->> 'status' is not null))[1] as status,
            (array_agg(u.tool_input ->> 'subject' order by u.happened_at desc, u.id desc)
                filter (where u.tool_input ->> 'subject' <> ''))[1] as subject
        from transcripts.tool_calls u
        where u.space_id = %(space)s and u.session_id = c.session_id and u.tool_name = 'TaskUpdate'
            and u.tool_input ->> 'taskId' = substring(r.content from 'Task #(\S+) created')
            and not exists (
                select from transcripts.tool_results f
                where f.space_id = %(space)s and f.session_id = u.session_id and f.tool_call_id = u.id and f.is_error)
    ) u
    where last_list.tool_name <> 'TodoWrite' and c.tool_input ->> 'subject' <> ''
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
    cross join lateral jsonb_array_elements(case when last_list.tool_name = 'TodoWrite'
        then last_list.tool_input -> 'todos' else '[]' end) with ordinality as listed (todo, nth)
    join core.sessions s on s.space_id = %(space)s and s.id = last_list.session_id
    where todo ->> 'status' in ('pending', 'in_progress') and todo ->> 'content' <> ''
    union all
    select subject, status, 'list', session, happened_at, 1, nth
    from tasks
    where status in ('pending', 'in_progress')
    union all
    select coalesce(k.subject, k.description), k.status, 'team', t.lead_session_id, k.created_at, 3, 0
    from transcripts.team_tasks k
    join transcripts.teams t on t.space_id = k.space_id and t.id = k.team_id
    left join core.sessions s on s.space_id = t.space_id and s.name = t.lead_session_id
    left join transcripts.session_details d on d.space_id = s.space_id and d.session_id = s.id
    where k.space_id = %(space)s
        and k.status in ('pending', 'in_progress')
        and coalesce(k.subject, k.description) <> ''
        and not exists (
            select from tasks where tasks.session = t.lead_session_id and tasks.subject = k.subject)
        and (%(project)s::text is null or d.project_path = %(project)s or starts_with(d.project_path, %(below)s)
            or right(d.project_path, length(%(named)s)) = %(named)s)
)
select text, status, source, session_id from found
order by place, happened_at desc nulls last, nth, text
limit %(limit)s
