-- name: marks: how far files were read
select path, size_bytes, offset_bytes, prefix_sha256, modified_at
from transcripts.files
where space_id = %(space)s and path = any(%(paths)s::text[])

-- name: lazily: this transaction may be lost in a crash, as a whole: then its files are read again
select set_config('synchronous_commit', 'off', true)

-- name: has_erased: whether anything was ever erased in a space of this name
select core.has_erased(%(name)s)

-- name: known_lines: which lines are there already
select t.place - 1
from unnest(%(uuids)s::text[], %(sessions)s::int8[]) with ordinality as t (uuid, session_id, place)
cross join lateral (
    select session_id from transcripts.lines where space_id = %(space)s and uuid = t.uuid
    offset 0
) l
where l.session_id = t.session_id

-- name: known_messages: which messages the record has already
select t.place - 1, m.id
from unnest(%(uuids)s::text[], %(sessions)s::int8[]) with ordinality as t (external_id, session_id, place)
cross join lateral (
    select id from core.messages m
    where m.space_id = %(space)s and m.external_id = t.external_id and m.session_id = t.session_id
    offset 0
) m

-- name: line_numbers: numbers for lines, as one value: to take thousands of rows costs more than to make them
select array_agg(nextval('transcripts.lines_id_seq')) from generate_series(1, %(count)s::int4)

-- name: insert_lines: lines, as they stand
insert into transcripts.lines (space_id, id, session_id, uuid, parent_uuid, logical_parent_uuid, type, subtype, model,
    response_id, happened_at, message_id, content_text, thinking, blocks, cwd, git_branch, is_meta, is_sidechain,
    is_compact_summary, is_noise, is_prompt)
select %(space)s, l.id, l.session_id, l.uuid, l.parent_uuid, l.logical_parent_uuid, l.type, l.subtype, l.model,
    l.response_id, l.happened_at, nullif(l.message_id, 0), l.content_text, l.thinking, l.blocks::jsonb, l.cwd,
    l.git_branch, l.is_meta, l.is_sidechain, l.is_compact_summary, l.is_noise, l.is_prompt
from unnest(%(id)s::int8[], %(session)s::int8[], %(uuid)s::text[], %(parent)s::text[], %(logical_parent)s::text[],
    %(type)s::text[], %(subtype)s::text[], %(model)s::text[], %(response)s::text[], %(happened_at)s::timestamptz[],
    %(message)s::int8[], %(content)s::text[], %(thinking)s::text[], %(blocks)s::text[], %(cwd)s::text[],
    %(branch)s::text[], %(meta)s::bool[], %(sidechain)s::bool[], %(compact)s::bool[], %(noise)s::bool[],
    %(prompt)s::bool[])
    as l (id, session_id, uuid, parent_uuid, logical_parent_uuid, type, subtype, model, response_id, happened_at,
        message_id, content_text, thinking, blocks, cwd, git_branch, is_meta, is_sidechain, is_compact_summary,
        is_noise, is_prompt)

-- name: insert_responses: what answers cost: each once, as the most that any of its lines says
insert into transcripts.responses as r (space_id, response_id, line_id, session_id, model, happened_at, input_tokens,
    output_tokens, cache_read_tokens, cache_creation_tokens)
select %(space)s, u.*
from unnest(%(response)s::text[], %(line)s::int8[], %(session)s::int8[], %(model)s::text[],
    %(happened_at)s::timestamptz[], %(input)s::int8[], %(output)s::int8[], %(cache_read)s::int8[],
    %(cache_creation)s::int8[])
    as u (response_id, line_id, session_id, model, happened_at, input_tokens, output_tokens, cache_read_tokens,
        cache_creation_tokens)
order by u.response_id
on conflict (space_id, response_id) do update set
    input_tokens = greatest(r.input_tokens, excluded.input_tokens),
    output_tokens = greatest(r.output_tokens, excluded.output_tokens),
    cache_read_tokens = greatest(r.cache_read_tokens, excluded.cache_read_tokens),
    cache_creation_tokens = greatest(r.cache_creation_tokens, excluded.cache_creation_tokens)
where (r.input_tokens, r.output_tokens, r.cache_read_tokens, r.cache_creation_tokens)
    is distinct from (greatest(r.input_tokens, excluded.input_tokens),
        greatest(r.output_tokens, excluded.output_tokens), greatest(r.cache_read_tokens, excluded.cache_read_tokens),
        greatest(r.cache_creation_tokens, excluded.cache_creation_tokens))

-- name: insert_calls: the tools that were called
insert into transcripts.tool_calls (space_id, id, line_id, session_id, tool_name, tool_input, path, happened_at)
select %(space)s, c.id, c.line_id, c.session_id, c.tool_name, c.tool_input::jsonb, c.path, c.happened_at
from unnest(%(id)s::text[], %(line)s::int8[], %(session)s::int8[], %(name)s::text[], %(input)s::text[],
    %(path)s::text[], %(happened_at)s::timestamptz[])
    as c (id, line_id, session_id, tool_name, tool_input, path, happened_at)
on conflict (space_id, session_id, id) do nothing

-- name: insert_results: what they brought
insert into transcripts.tool_results (space_id, tool_call_id, line_id, session_id, content, is_error, spilled_from,
    agent_session, happened_at)
select %(space)s, r.*
from unnest(%(call)s::text[], %(line)s::int8[], %(session)s::int8[], %(content)s::text[], %(error)s::bool[],
    %(spilled)s::text[], %(agent)s::text[], %(happened_at)s::timestamptz[])
    as r (tool_call_id, line_id, session_id, content, is_error, spilled_from, agent_session, happened_at)
on conflict (space_id, session_id, tool_call_id) do nothing

-- name: upsert_details: what lines tell of their session; of titles and places the latest, of beginnings the first
insert into transcripts.session_details as d (space_id, session_id, source, first_line_at, last_line_at, project_path,
    cwd, git_branch, agent_version, custom_title, ai_title, first_prompt, last_prompt, pr_url, parent_session,
    agent_type, agent_description, tool_use_id)
select %(space)s, n.session_id, n.source, n.first_line_at, n.last_line_at, coalesce(n.project_path, ''), n.cwd,
    n.git_branch, n.agent_version, n.custom_title, n.ai_title, n.first_prompt, n.last_prompt, n.pr_url,
    n.parent_session, n.agent_type, n.agent_description, n.tool_use_id
from unnest(%(session)s::int8[], %(source)s::text[], %(first_at)s::timestamptz[], %(last_at)s::timestamptz[],
    %(project_path)s::text[], %(cwd)s::text[], %(git_branch)s::text[], %(agent_version)s::text[],
    %(custom_title)s::text[], %(ai_title)s::text[], %(first_prompt)s::text[], %(last_prompt)s::text[],
    %(pr_url)s::text[], %(parent_session)s::text[], %(agent_type)s::text[], %(agent_description)s::text[],
    %(tool_use_id)s::text[])
    as n (session_id, source, first_line_at, last_line_at, project_path, cwd, git_branch, agent_version, custom_title,
        ai_title, first_prompt, last_prompt, pr_url, parent_session, agent_type, agent_description, tool_use_id)
on conflict (space_id, session_id) do update set
    project_path = case when d.project_path = '' then excluded.project_path else d.project_path end,
    cwd = coalesce(excluded.cwd, d.cwd),
    git_branch = coalesce(excluded.git_branch, d.git_branch),
    agent_version = coalesce(excluded.agent_version, d.agent_version),
    first_line_at = least(d.first_line_at, excluded.first_line_at),
    last_line_at = greatest(d.last_line_at, excluded.last_line_at),
    custom_title = coalesce(excluded.custom_title, d.custom_title),
    ai_title = coalesce(excluded.ai_title, d.ai_title),
    first_prompt = coalesce(d.first_prompt, excluded.first_prompt),
    last_prompt = coalesce(excluded.last_prompt, d.last_prompt),
    pr_url = coalesce(excluded.pr_url, d.pr_url),
    parent_session = coalesce(d.parent_session, excluded.parent_session),
    agent_type = coalesce(excluded.agent_type, d.agent_type),
    agent_description = coalesce(excluded.agent_description, d.agent_description),
    tool_use_id = coalesce(excluded.tool_use_id, d.tool_use_id)

-- name: insert_summaries: titles whose session may be in another file
insert into transcripts.summaries (space_id, leaf_uuid, summary)
select %(space)s, s.leaf_uuid, s.summary
from unnest(%(leaf)s::text[], %(text)s::text[]) as s (leaf_uuid, summary)
on conflict (space_id, leaf_uuid) do update set summary = excluded.summary
where transcripts.summaries.summary <> excluded.summary

-- name: attach_summaries: give sessions the summary of their last line that has one
update transcripts.session_details d set summary = l.summary
from (
    select distinct on (l.session_id) l.session_id, s.summary
    from transcripts.summaries s
    cross join lateral (
        select session_id, happened_at, id from transcripts.lines
        where space_id = %(space)s and uuid = s.leaf_uuid
        offset 0
    ) l
    where s.space_id = %(space)s
    order by l.session_id, l.happened_at desc, l.id desc
) l
where d.space_id = %(space)s and d.session_id = l.session_id and d.summary is distinct from l.summary

-- name: attach_agents: tell subagents which call began them
update transcripts.session_details d set
    tool_use_id = coalesce(d.tool_use_id, r.tool_call_id),
    parent_session = coalesce(d.parent_session, p.name)
from transcripts.tool_results r
cross join lateral (
    select id from core.sessions where space_id = %(space)s and name = r.agent_session offset 0
) s
cross join lateral (
    select name from core.sessions where space_id = %(space)s and id = r.session_id offset 0
) p
where r.space_id = %(space)s and r.agent_session is not null and d.space_id = %(space)s and d.session_id = s.id
    and (d.tool_use_id is null or d.parent_session is null)

-- name: indexed_summaries: summaries of the index of sessions, where there is no better one
update transcripts.session_details d set summary = i.summary
from unnest(%(session)s::text[], %(text)s::text[]) as i (session, summary)
join core.sessions s on s.space_id = %(space)s and s.name = i.session
where d.space_id = %(space)s and d.session_id = s.id and d.summary is null

-- name: upsert_files: how far files are read now
insert into transcripts.files as f (space_id, path, size_bytes, offset_bytes, prefix_sha256, modified_at, lines, trouble)
select %(space)s, n.*
from unnest(%(path)s::text[], %(size)s::int8[], %(offset)s::int8[], %(sha256)s::bytea[], %(modified_at)s::timestamptz[],
    %(lines)s::int8[], %(trouble)s::text[])
    as n (path, size_bytes, offset_bytes, prefix_sha256, modified_at, lines, trouble)
on conflict (space_id, path) do update set
    size_bytes = excluded.size_bytes, offset_bytes = excluded.offset_bytes, prefix_sha256 = excluded.prefix_sha256,
    modified_at = excluded.modified_at, synced_at = now(), trouble = excluded.trouble,
    lines = case when f.path = any(%(reread)s::text[]) then 0 else f.lines end + excluded.lines

-- name: insert_prompts: what was typed
insert into transcripts.prompts (space_id, session, project_path, happened_at, content)
select %(space)s, p.* from unnest(%(session)s::text[], %(project)s::text[], %(happened_at)s::timestamptz[],
    %(content)s::text[]) as p (session, project_path, happened_at, content)
on conflict do nothing

-- name: upsert_team: a team
insert into transcripts.teams as t (space_id, id, name, description, lead_session_id, created_at)
values (%(space)s, %(id)s, %(name)s, %(description)s, %(lead_session_id)s, %(created_at)s)
on conflict (space_id, id) do update set
    name = coalesce(excluded.name, t.name), description = coalesce(excluded.description, t.description),
    lead_session_id = coalesce(excluded.lead_session_id, t.lead_session_id),
    created_at = coalesce(excluded.created_at, t.created_at)
where (t.name, t.description, t.lead_session_id, t.created_at) is distinct from (
    coalesce(excluded.name, t.name), coalesce(excluded.description, t.description),
    coalesce(excluded.lead_session_id, t.lead_session_id), coalesce(excluded.created_at, t.created_at))

-- name: upsert_member: an agent of a team
insert into transcripts.team_members (space_id, id, team_id, name, agent_type, model, prompt, color, cwd, joined_at)
values (%(space)s, %(id)s, %(team_id)s, %(name)s, %(agent_type)s, %(model)s, %(prompt)s, %(color)s, %(cwd)s, %(joined_at)s)
on conflict (space_id, team_id, id) do update set
    name = excluded.name, agent_type = excluded.agent_type, model = excluded.model, prompt = excluded.prompt,
    color = excluded.color, cwd = excluded.cwd, joined_at = excluded.joined_at

-- name: upsert_task: a task of a team
insert into transcripts.team_tasks as t (space_id, id, team_id, owner_name, subject, description, status, completed_at)
values (%(space)s, %(id)s, %(team_id)s, %(owner_name)s, %(subject)s, %(description)s, %(status)s, %(completed_at)s)
on conflict (space_id, id) do update set
    owner_name = excluded.owner_name, subject = excluded.subject, description = excluded.description,
    status = excluded.status,
    completed_at = case when excluded.completed_at is not null then coalesce(t.completed_at, excluded.completed_at) end
where (t.owner_name, t.subject, t.description, t.status) is distinct from (
    excluded.owner_name, excluded.subject, excluded.description, excluded.status)
