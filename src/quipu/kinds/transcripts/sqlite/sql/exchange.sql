-- name: keep_team: a team
insert into transcripts.teams (space_id, id, name, description, lead_session_id, created_at)
values (%(space)s, %(id)s, %(name)s, %(description)s, %(lead_session_id)s, %(created_at)s)
on conflict (space_id, id) do nothing

-- name: keep_member: a member of a team
insert into transcripts.team_members (space_id, id, team_id, name, agent_type, model, prompt, color, cwd, joined_at)
values (%(space)s, %(id)s, %(team_id)s, %(name)s, %(agent_type)s, %(model)s, %(prompt)s, %(color)s, %(cwd)s,
    %(joined_at)s)
on conflict (space_id, team_id, id) do nothing

-- name: keep_task: a task of a team
insert into transcripts.team_tasks (space_id, id, team_id, owner_name, subject, description, status, created_at,
    completed_at)
values (%(space)s, %(id)s, %(team_id)s, %(owner_name)s, %(subject)s, %(description)s, %(status)s, %(created_at)s,
    %(completed_at)s)
on conflict (space_id, id) do nothing

-- name: hold_memories: one at a time changes the memories of a space
select pg_advisory_xact_lock(731077, %(space)s)

-- name: known_memories: those of these memories that the space has
select id from transcripts.memories where space_id = %(space)s and id = any(%(ids)s::uuid[])

-- name: memory_homes: of memories that come, the project, and the active memory that says the same there
select coalesce(d.project_path, '') as project, m.id as same
from unnest(%(sessions)s::text[], %(categories)s::text[], %(forms)s::bytea[]) with ordinality
    as t (session, category, form, place)
left join core.sessions s on s.space_id = %(space)s and s.name = t.session
left join transcripts.session_details d on d.space_id = s.space_id and d.session_id = s.id
left join transcripts.memories m
    on m.space_id = %(space)s and m.project_path = coalesce(d.project_path, '')
        and m.category is not distinct from t.category and m.normal_form = t.form and m.status = 'active'
order by t.place

-- name: unite_memory: a memory that came says what another says: that one was said then, too
update transcripts.memories
set confidence = greatest(confidence, %(confidence)s), happened_at = greatest(happened_at, %(created_at)s),
    updated_at = greatest(updated_at, %(updated_at)s)
where space_id = %(space)s and id = %(same)s

-- name: keep_memory: a memory that came with a file; its session where the space has it
insert into transcripts.memories (space_id, id, session_id, fact, category, confidence, created_at, updated_at, origin,
    project_path, normal_form, happened_at, entry_id)
select %(space)s, %(id)s, s.name, %(fact)s, %(category)s, %(confidence)s, %(created_at)s, %(updated_at)s, 'imported',
    coalesce(d.project_path, ''), %(form)s, %(created_at)s, %(entry)s
from (select 1) as one
left join core.sessions s on s.space_id = %(space)s and s.name = %(session)s
left join transcripts.session_details d on d.space_id = s.space_id and d.session_id = s.id
on conflict (space_id, id) do nothing

-- name: keep_source: where a memory comes from, where the space has that session
insert into transcripts.memory_sources (space_id, memory_id, session_id, turn_index, extracted_at)
select %(space)s, m.id, s.name, %(turn)s, %(extracted_at)s
from transcripts.memories m
join core.sessions s on s.space_id = m.space_id and s.name = %(session)s
where m.space_id = %(space)s and m.id = %(memory)s
on conflict (space_id, memory_id, session_id, turn_index) do nothing

-- name: keep_extracted: a session that was looked through before it came here
insert into transcripts.extractions (space_id, session_id, extractor, version, status, attempted_at)
select %(space)s, s.id, 'ccrecall', 1, %(status)s, %(attempted_at)s
from core.sessions s where s.space_id = %(space)s and s.name = %(session)s
on conflict (space_id, session_id, extractor) do nothing

-- name: sessions: every session of transcripts, as a file has it
select id, project_path, git_branch, cwd, first_timestamp, last_timestamp, coalesce(summary, title) as summary,
    memories_extracted, extraction_attempted_at, session_number
from transcripts.sessions where space_id = %(space)s order by first_timestamp nulls first, id

-- name: messages: the lines of a session, as a file has them
select line_id, uuid, parent_uuid, type, model, content_text, content_json, thinking, "timestamp", input_tokens,
    output_tokens, cache_read_tokens, cache_creation_tokens
from transcripts.messages where space_id = %(space)s and session_number = %(session)s order by "timestamp", line_id

-- name: calls: the calls of a session
select line_id, id, tool_name, tool_input, happened_at from transcripts.tool_calls
where space_id = %(space)s and session_id = %(session)s order by line_id, id

-- name: results: the results of a session
select line_id, tool_call_id, content, is_error, happened_at from transcripts.tool_results
where space_id = %(space)s and session_id = %(session)s order by line_id, tool_call_id

-- name: teams: every team
select id, name, description, lead_session_id, created_at from transcripts.teams where space_id = %(space)s order by id

-- name: team_members: every member of a team
select id, team_id, name, agent_type, model, prompt, color, cwd, joined_at from transcripts.team_members
where space_id = %(space)s order by team_id, id

-- name: team_tasks: every task of a team
select id, team_id, owner_name, subject, description, status, created_at, completed_at from transcripts.team_tasks
where space_id = %(space)s order by id

-- name: memories: every memory that is active
select id::text as id, session_id, fact, category, confidence, created_at, updated_at from transcripts.memories
where space_id = %(space)s and status = 'active' order by created_at, id

-- name: memory_sources: the sources of active memories
select o.memory_id::text as memory_id, o.session_id, o.turn_index, o.extracted_at
from transcripts.memory_sources o
join transcripts.memories m on m.space_id = o.space_id and m.id = o.memory_id and m.status = 'active'
where o.space_id = %(space)s order by o.extracted_at, o.memory_id, o.turn_index
