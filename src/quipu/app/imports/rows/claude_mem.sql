-- name: claude_mem_sdk_sessions: the sessions of agents
select * from sdk_sessions order by id

-- name: claude_mem_user_prompts: what users said
select * from user_prompts order by id

-- name: claude_mem_observations: what was learned from the work of agents
select * from observations order by id

-- name: claude_mem_session_summaries: what sessions came to
select * from session_summaries order by id

-- name: claude_mem_schema_versions: the newest form of the database
select max(version) as version from schema_versions

-- name: claude_mem_tool_uses: how many calls of tools are kept
select count(*) as count from tool_uses

-- name: claude_mem_pending_messages: how many calls wait to be looked at
select count(*) as count from pending_messages

-- name: claude_mem_memory_items: how many records the server edition has
select count(*) as count from memory_items
