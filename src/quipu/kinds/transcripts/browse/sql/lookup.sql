-- name: sessions: sessions that are nobody's subagents, the latest first, with what is in them
with chosen as (
    select d.*, s.name
    from transcripts.session_details d
    join core.sessions s on s.space_id = d.space_id and s.id = d.session_id
    left join lateral (
        select coalesce(b.last_line_at, '-infinity') as at, a.name
        from core.sessions a
        join transcripts.session_details b on b.space_id = a.space_id and b.session_id = a.id
        where a.space_id = %(space)s and a.name = %(after)s::text
        offset 0
    ) p on true
    where d.space_id = %(space)s
        and (%(after)s::text is null or (coalesce(d.last_line_at, '-infinity'), s.name) < (p.at, p.name))
        and (%(project)s::text is null or strpos(lower(d.project_path), lower(%(project)s::text)) > 0)
        and (%(since)s::timestamptz is null or d.last_line_at >= %(since)s::timestamptz)
        and (%(until)s::timestamptz is null or d.first_line_at < %(until)s::timestamptz)
        and not exists (select from core.sessions p where p.space_id = d.space_id and p.name = d.parent_session)
    order by d.last_line_at desc nulls last, s.name desc
    limit %(limit)s offset %(offset)s
)
select session_id from chosen

-- name: session: the session of exactly that name
select s.id from core.sessions s
join transcripts.session_details d on d.space_id = s.space_id and d.session_id = s.id
where s.space_id = %(space)s and s.name = %(session)s

-- name: named_sessions: sessions by name, or by how it begins where none has that very name
with named as (
    select s.id, s.name = %(session)s as exact from core.sessions s
    join transcripts.session_details d on d.space_id = s.space_id and d.session_id = s.id
    where s.space_id = %(space)s and starts_with(s.name, %(session)s::text)
    limit 20
)
select id from named where exact or not exists (select from named where exact)

-- name: with_subagents: sessions and their subagents, and those of these
with recursive family as (
    select d.session_id, s.name
    from unnest(%(numbers)s::int8[]) as n (id)
    join transcripts.session_details d on d.space_id = %(space)s and d.session_id = n.id
    join core.sessions s on s.space_id = d.space_id and s.id = d.session_id
    union
    select d.session_id, s.name
    from family f
    join transcripts.session_details d on d.space_id = %(space)s and d.parent_session = f.name
    join core.sessions s on s.space_id = d.space_id and s.id = d.session_id
)
select s.name as id, coalesce(d.custom_title, d.ai_title, d.summary, left(d.first_prompt, 200)) as title,
    d.project_path, d.git_branch,
    coalesce(d.first_line_at, s.started_at) as first_timestamp, coalesce(d.last_line_at, s.last_at) as last_timestamp,
    l.messages, l.prompts, c.tool_calls, e.errors,
    r.input_tokens, r.output_tokens, r.cache_read_tokens, r.cache_creation_tokens,
    m.memories, d.parent_session, d.agent_type, d.agent_description
from family f
join transcripts.session_details d on d.space_id = %(space)s and d.session_id = f.session_id
join core.sessions s on s.space_id = %(space)s and s.id = f.session_id
cross join lateral (
    select count(message_id) as messages, count(*) filter (where is_prompt) as prompts
    from transcripts.lines where space_id = %(space)s and session_id = f.session_id
) l
cross join lateral (
    select count(*) as tool_calls from transcripts.tool_calls where space_id = %(space)s and session_id = f.session_id
) c
cross join lateral (
    select count(*) as errors from transcripts.tool_results
    where space_id = %(space)s and session_id = f.session_id and is_error
) e
cross join lateral (
    select coalesce(sum(input_tokens), 0)::int8 as input_tokens, coalesce(sum(output_tokens), 0)::int8 as output_tokens,
        coalesce(sum(cache_read_tokens), 0)::int8 as cache_read_tokens,
        coalesce(sum(cache_creation_tokens), 0)::int8 as cache_creation_tokens
    from transcripts.responses where space_id = %(space)s and session_id = f.session_id
) r
cross join lateral (
    select count(*) as memories from transcripts.memories
    where space_id = %(space)s and session_id = f.name and status = 'active'
) m
order by first_timestamp nulls last, s.name

-- name: count_readable: how many lines of a session somebody can read
select count(*)
from transcripts.lines l
where l.space_id = %(space)s and l.session_id = %(session)s
    and (l.message_id is not null or l.content_text is not null or l.thinking is not null
        or exists (select from transcripts.tool_calls c where c.space_id = l.space_id and c.line_id = l.id))

-- name: readable: lines of a session that somebody can read, the oldest first
select l.id, l.uuid, l.type,
    case when l.is_meta or l.is_noise or l.is_compact_summary then 'system'
        when l.type in ('user', 'assistant') then l.type else 'system' end as role,
    l.happened_at as "timestamp", coalesce(m.content, l.content_text) as content_text, l.thinking, l.model,
    l.is_prompt, l.is_sidechain
from transcripts.lines l
left join core.messages m on m.space_id = l.space_id and m.id = l.message_id
where l.space_id = %(space)s and l.session_id = %(session)s
    and (l.message_id is not null or l.content_text is not null or l.thinking is not null
        or exists (select from transcripts.tool_calls c where c.space_id = l.space_id and c.line_id = l.id))
order by l.happened_at, l.id
limit %(limit)s offset %(offset)s

-- name: calls: the calls of lines, with what came of them
select c.line_id, c.id, c.tool_name as tool, c.tool_input as input, c.path, r.content as result,
    coalesce(r.is_error, false) as is_error, extract(epoch from r.happened_at - c.happened_at)::float8 as seconds
from transcripts.tool_calls c
left join transcripts.tool_results r
    on r.space_id = c.space_id and r.session_id = c.session_id and r.tool_call_id = c.id
where c.space_id = %(space)s and c.line_id = any(%(lines)s::int8[])
order by c.happened_at, c.id

-- name: tools: how often each tool was called, failed, and how long it took
--
-- What a resumed session repeats has the same id and is one call.
select tool_name as tool, case when %(by_project)s then project_path end as project_path,
    count(*) as calls, count(answered_at) as results, count(*) filter (where is_error) as errors,
    percentile_cont(0.5) within group (order by extract(epoch from answered_at - called_at)::float8)
        as median_seconds,
    count(distinct session_id) as sessions, max(called_at) as last_used
from (
    select distinct on (c.id) c.tool_name, d.project_path, c.session_id, c.happened_at as called_at,
        r.happened_at as answered_at, r.is_error
    from transcripts.tool_calls c
    join transcripts.session_details d on d.space_id = c.space_id and d.session_id = c.session_id
    left join transcripts.tool_results r
        on r.space_id = c.space_id and r.session_id = c.session_id and r.tool_call_id = c.id
    where c.space_id = %(space)s
        and (%(project)s::text is null or strpos(lower(d.project_path), lower(%(project)s::text)) > 0)
        and (%(since)s::timestamptz is null or c.happened_at >= %(since)s::timestamptz)
        and (%(until)s::timestamptz is null or c.happened_at < %(until)s::timestamptz)
    order by c.id, r.happened_at nulls last, c.session_id
) once
group by 1, 2
order by calls desc, tool, project_path
limit %(limit)s

-- name: files: the files that tools were about, the most touched first
select path, count(*) filter (where tool_name in ('Read', 'NotebookRead', 'View')) as reads,
    count(*) filter (where tool_name in ('Edit', 'MultiEdit', 'NotebookEdit', 'apply_patch')) as edits,
    count(*) filter (where tool_name = 'Write') as writes,
    count(*) filter (where tool_name not in ('Read', 'NotebookRead', 'View', 'Edit', 'MultiEdit', 'NotebookEdit',
        'apply_patch', 'Write')) as others,
    count(distinct session) as sessions,
    (array_agg(session order by happened_at desc))[1:50] as session_ids, max(happened_at) as last_touched
from (
    select distinct on (c.id) c.path, c.tool_name, s.name as session, c.happened_at
    from transcripts.tool_calls c
    join core.sessions s on s.space_id = c.space_id and s.id = c.session_id
    join transcripts.session_details d on d.space_id = c.space_id and d.session_id = c.session_id
    where c.space_id = %(space)s and c.path is not null
        and (%(project)s::text is null or strpos(lower(d.project_path), lower(%(project)s::text)) > 0)
        and (%(session)s::text is null or starts_with(s.name, %(session)s::text))
        and (%(since)s::timestamptz is null or c.happened_at >= %(since)s::timestamptz)
        and (%(until)s::timestamptz is null or c.happened_at < %(until)s::timestamptz)
    order by c.id, c.happened_at, s.name
) once
group by path
order by count(*) filter (where tool_name in ('Edit', 'MultiEdit', 'NotebookEdit', 'apply_patch', 'Write')) desc,
    count(*) desc, path
limit %(limit)s

-- name: totals: how much a space holds
with lines as (
    select count(*) as lines, count(message_id) as messages, count(*) filter (where is_prompt) as prompts,
        min(happened_at) as first, max(happened_at) as last, coalesce(sum(pg_column_size(thinking)), 0) as thinking_bytes
    from transcripts.lines where space_id = %(space)s
), details as (
    select count(*) filter (where not sub) as sessions, count(*) filter (where sub) as subagents,
        count(distinct project_path) as projects
    from (
        select d.project_path, exists (select from core.sessions p
            where p.space_id = d.space_id and p.name = d.parent_session) as sub
        from transcripts.session_details d where d.space_id = %(space)s
    ) d
), calls as (
    select count(*) as tool_calls, coalesce(sum(pg_column_size(tool_input)), 0) as input_bytes
    from transcripts.tool_calls where space_id = %(space)s
), results as (
    select count(*) as tool_results, count(*) filter (where is_error) as errors, count(compacted_at) as compacted,
        coalesce(sum(compacted_bytes), 0) as compacted_bytes, coalesce(sum(pg_column_size(content)), 0) as result_bytes
    from transcripts.tool_results where space_id = %(space)s
), said as (
    select coalesce(sum(pg_column_size(m.content)), 0) as said_bytes
    from core.messages m
    where m.space_id = %(space)s and m.session_id in (
        select session_id from transcripts.session_details where space_id = %(space)s)
), responses as (
    select count(*) as responses, coalesce(sum(input_tokens), 0)::int8 as input_tokens,
        coalesce(sum(output_tokens), 0)::int8 as output_tokens,
        coalesce(sum(cache_read_tokens), 0)::int8 as cache_read_tokens,
        coalesce(sum(cache_creation_tokens), 0)::int8 as cache_creation_tokens
    from transcripts.responses where space_id = %(space)s
)
select d.sessions, d.subagents, d.projects, l.lines, l.messages, l.prompts, c.tool_calls, r.tool_results, r.errors,
    r.compacted, r.compacted_bytes::int8 as compacted_bytes,
    (select count(*) from transcripts.memories where space_id = %(space)s and status = 'active') as memories,
    (select count(*) from transcripts.teams where space_id = %(space)s) as teams,
    (select count(*) from transcripts.files where space_id = %(space)s) as files,
    p.responses, p.input_tokens, p.output_tokens, p.cache_read_tokens, p.cache_creation_tokens, l.first, l.last,
    s.said_bytes::int8 as said_bytes, l.thinking_bytes::int8 as thinking_bytes, c.input_bytes::int8 as input_bytes,
    r.result_bytes::int8 as result_bytes
from lines l, details d, calls c, results r, said s, responses p

-- name: usage: tokens by day and model, of the last days on which there were any; the oldest first
with daily as (
    select (r.happened_at at time zone 'UTC')::date as day, coalesce(r.model, '') as model, count(*) as responses,
        sum(r.input_tokens)::int8 as input_tokens, sum(r.output_tokens)::int8 as output_tokens,
        sum(r.cache_read_tokens)::int8 as cache_read_tokens, sum(r.cache_creation_tokens)::int8 as cache_creation_tokens
    from transcripts.responses r
    join transcripts.session_details d on d.space_id = r.space_id and d.session_id = r.session_id
    where r.space_id = %(space)s
        and (%(project)s::text is null or strpos(lower(d.project_path), lower(%(project)s::text)) > 0)
        and (%(since)s::timestamptz is null or r.happened_at >= %(since)s::timestamptz)
        and (%(until)s::timestamptz is null or r.happened_at < %(until)s::timestamptz)
    group by 1, 2
)
select day, model, responses, input_tokens, output_tokens, cache_read_tokens, cache_creation_tokens
from daily
where day in (select distinct day from daily order by day desc limit %(days)s)
order by day, model

-- name: sizes: bytes on the disk, of all spaces
select (select coalesce(sum(pg_total_relation_size(c.oid)), 0)::int8 from pg_class c
        where c.relnamespace = 'transcripts'::regnamespace and c.relkind = 'r' and c.relname <> 'texts') as lines_bytes,
    pg_total_relation_size('transcripts.texts'::regclass) as index_bytes

-- name: relations: tables and views that a query can name, with their columns
select c.relname::text as name, case c.relkind when 'v' then 'view' else 'table' end as kind,
    obj_description(c.oid, 'pg_class') as comment,
    array(
        select json_build_array(a.attname, format_type(a.atttypid, a.atttypmod), col_description(c.oid, a.attnum))
        from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attname <> 'space_id'
        order by a.attnum
    ) as columns
from pg_class c
where c.relnamespace = 'transcripts'::regnamespace and c.relkind in ('r', 'v')
    and has_table_privilege('quipu_see', c.oid, 'select')
order by c.relkind = 'r', c.relname
