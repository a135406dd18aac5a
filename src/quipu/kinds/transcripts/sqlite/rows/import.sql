-- name: objects: what there is in the file
select type, name from sqlite_master

-- name: columns: the columns of a table
select name from pragma_table_info(:name)

-- name: sessions: every session; ids as texts
select cast(id as TEXT) as id, project_path, git_branch, cwd, first_timestamp, last_timestamp, summary from sessions order by rowid

-- name: extracted: sessions that were looked through for memories
select cast(id as TEXT) as id, memories_extracted, extraction_attempted_at from sessions
where memories_extracted = 1 or extraction_attempted_at is not null

-- name: messages: the messages of a session in their order; rowid keeps that of the file where times are the same
select uuid, parent_uuid, type, model, content_text, content_json, thinking, timestamp, input_tokens, output_tokens,
    cache_read_tokens, cache_creation_tokens
from messages where session_id = :session order by timestamp, rowid

-- name: homeless: messages whose session is not in the file
select distinct cast(session_id as TEXT) as id from messages m
where session_id is not null and not exists (select 1 from sessions s where s.id = m.session_id)

-- name: counts: how many rows there are
select
    (select count(*) from sessions) as sessions, (select count(*) from messages) as messages,
    (select count(*) from tool_calls) as tool_calls, (select count(*) from tool_results) as tool_results

-- name: calls: the calls of a session
select id, message_uuid, tool_name, tool_input, timestamp from tool_calls where session_id = :session order by rowid

-- name: results: the results of a session, as often as they were stored
select tool_call_id, message_uuid, content, is_error, timestamp from tool_results where session_id = :session order by id

-- name: teams: every team
select id, name, description, lead_session_id, created_at from teams order by rowid

-- name: team_members: every member
select id, team_id, name, agent_type, model, prompt, color, cwd, joined_at from team_members order by rowid

-- name: team_tasks: every task
select id, team_id, owner_name, subject, description, status, created_at, completed_at from team_tasks order by rowid

-- name: memories: every memory
select id, session_id, fact, category, confidence, created_at, updated_at from memories order by rowid

-- name: memory_sources: every source of a memory
select memory_id, session_id, turn_index, extracted_at from memory_sources order by rowid
