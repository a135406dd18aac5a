-- The schema of ccrecall, in the dialect of SQLite; times are milliseconds since 1970.

-- name: sessions: one row for each session
create table if not exists sessions (
  id TEXT primary key,
  project_path TEXT not null,
  git_branch TEXT,
  cwd TEXT,
  first_timestamp INTEGER,
  last_timestamp INTEGER,
  summary TEXT
)

-- name: messages: one row for each line of a conversation
create table if not exists messages (
  uuid TEXT primary key,
  session_id TEXT references sessions(id),
  parent_uuid TEXT,
  type TEXT not null,
  model TEXT,
  content_text TEXT,
  content_json TEXT,
  thinking TEXT,
  timestamp INTEGER not null,
  input_tokens INTEGER default 0,
  output_tokens INTEGER default 0,
  cache_read_tokens INTEGER default 0,
  cache_creation_tokens INTEGER default 0
)

-- name: tool_calls: what the agent called
create table if not exists tool_calls (
  id TEXT primary key,
  message_uuid TEXT references messages(uuid),
  session_id TEXT references sessions(id),
  tool_name TEXT not null,
  tool_input TEXT,
  timestamp INTEGER
)

-- name: tool_results: what came of it
create table if not exists tool_results (
  id INTEGER primary key autoincrement,
  tool_call_id TEXT not null,
  message_uuid TEXT not null,
  session_id TEXT not null,
  content TEXT,
  is_error INTEGER default 0,
  timestamp INTEGER
)

-- name: sync_state: how far each file was read
create table if not exists sync_state (
  file_path TEXT primary key,
  last_modified INTEGER,
  last_byte_offset INTEGER
)

-- name: teams: swarms of agents
create table if not exists teams (
  id TEXT primary key,
  name TEXT,
  description TEXT,
  lead_session_id TEXT,
  created_at INTEGER
)

-- name: team_members: agents of a team
create table if not exists team_members (
  id TEXT primary key,
  team_id TEXT references teams(id),
  name TEXT,
  agent_type TEXT,
  model TEXT,
  prompt TEXT,
  color TEXT,
  cwd TEXT,
  joined_at INTEGER
)

-- name: team_tasks: tasks of a team, named "team:task"
create table if not exists team_tasks (
  id TEXT primary key,
  team_id TEXT references teams(id),
  owner_name TEXT,
  subject TEXT,
  description TEXT,
  status TEXT default 'pending',
  created_at INTEGER,
  completed_at INTEGER
)

-- name: messages_fts: the words of messages
create virtual table if not exists messages_fts using fts5(
  content_text, thinking, content='messages', content_rowid='rowid'
)

-- name: messages_fts_insert: words follow their message
create trigger if not exists messages_ai after insert on messages begin
  insert into messages_fts(rowid, content_text, thinking) values (new.rowid, new.content_text, new.thinking);
end

-- name: messages_fts_delete: words go with their message
create trigger if not exists messages_ad after delete on messages begin
  insert into messages_fts(messages_fts, rowid, content_text, thinking)
  values ('delete', old.rowid, old.content_text, old.thinking);
end

-- name: messages_fts_update: words change with their message
create trigger if not exists messages_au after update on messages begin
  insert into messages_fts(messages_fts, rowid, content_text, thinking)
  values ('delete', old.rowid, old.content_text, old.thinking);
  insert into messages_fts(rowid, content_text, thinking) values (new.rowid, new.content_text, new.thinking);
end

-- name: idx_messages_session: messages of a session
create index if not exists idx_messages_session on messages(session_id)

-- name: idx_messages_timestamp: messages of a time
create index if not exists idx_messages_timestamp on messages(timestamp)

-- name: idx_sessions_project: sessions of a project
create index if not exists idx_sessions_project on sessions(project_path)

-- name: idx_tool_calls_session: calls of a session
create index if not exists idx_tool_calls_session on tool_calls(session_id)

-- name: idx_tool_calls_name: calls of a tool
create index if not exists idx_tool_calls_name on tool_calls(tool_name)

-- name: idx_tool_results_session: results of a session
create index if not exists idx_tool_results_session on tool_results(session_id)

-- name: idx_tool_results_call: results of a call
create index if not exists idx_tool_results_call on tool_results(tool_call_id)

-- name: idx_teams_name: teams by name
create index if not exists idx_teams_name on teams(name)

-- name: idx_teams_lead: teams by the session that leads them
create index if not exists idx_teams_lead on teams(lead_session_id)

-- name: idx_team_members_team: members of a team
create index if not exists idx_team_members_team on team_members(team_id)

-- name: idx_team_tasks_team: tasks of a team
create index if not exists idx_team_tasks_team on team_tasks(team_id)

-- name: idx_team_tasks_status: tasks in a state
create index if not exists idx_team_tasks_status on team_tasks(status)
