-- name: put_session: a session; one that is there keeps what it has and we do not know
insert into sessions (id, project_path, git_branch, cwd, first_timestamp, last_timestamp, summary)
values (:id, :project_path, :git_branch, :cwd, :first_timestamp, :last_timestamp, :summary)
on conflict (id) do nothing

-- name: put_message: a message; ids are unique in the whole file, so a line that a fork repeats stands once
insert into messages (uuid, session_id, parent_uuid, type, model, content_text, content_json, thinking, timestamp,
    input_tokens, output_tokens, cache_read_tokens, cache_creation_tokens)
values (:uuid, :session_id, :parent_uuid, :type, :model, :content_text, :content_json, :thinking, :timestamp,
    :input_tokens, :output_tokens, :cache_read_tokens, :cache_creation_tokens)
on conflict (uuid) do nothing

-- name: put_call: a call, once
insert into tool_calls (id, message_uuid, session_id, tool_name, tool_input, timestamp)
values (:id, :message_uuid, :session_id, :tool_name, :tool_input, :timestamp)
on conflict (id) do nothing

-- name: put_result: the result of a call, once for its message
insert into tool_results (tool_call_id, message_uuid, session_id, content, is_error, timestamp)
select :tool_call_id, :message_uuid, :session_id, :content, :is_error, :timestamp
where not exists (select 1 from tool_results where tool_call_id = :tool_call_id and message_uuid = :message_uuid)

-- name: put_team: a team
insert into teams (id, name, description, lead_session_id, created_at)
values (:id, :name, :description, :lead_session_id, :created_at) on conflict (id) do nothing

-- name: put_member: a member of a team
insert into team_members (id, team_id, name, agent_type, model, prompt, color, cwd, joined_at)
values (:id, :team_id, :name, :agent_type, :model, :prompt, :color, :cwd, :joined_at) on conflict (id) do nothing

-- name: put_task: a task of a team
insert into team_tasks (id, team_id, owner_name, subject, description, status, created_at, completed_at)
values (:id, :team_id, :owner_name, :subject, :description, :status, :created_at, :completed_at)
on conflict (id) do nothing

-- name: put_memory: a memory as it is now; its session where the file has it. What is the same is not written
insert into memories (id, session_id, fact, category, confidence, created_at, updated_at)
values (:id, (select id from sessions where id = :session_id), :fact, :category, :confidence, :created_at, :updated_at)
on conflict (id) do update
set session_id = coalesce(excluded.session_id, session_id), fact = excluded.fact, category = excluded.category,
    confidence = excluded.confidence, updated_at = excluded.updated_at
where (fact, category, confidence, updated_at)
    is not (excluded.fact, excluded.category, excluded.confidence, excluded.updated_at)

-- name: put_source: where a memory comes from, where the file has that session
insert into memory_sources (memory_id, session_id, turn_index, extracted_at)
select :memory_id, :session_id, :turn_index, :extracted_at
where exists (select 1 from sessions where id = :session_id)
on conflict (memory_id, session_id, turn_index) do nothing

-- name: mark_extracted: a session was looked through
update sessions set memories_extracted = 1, extraction_attempted_at = :attempted_at
where id = :id and memories_extracted is not 1
