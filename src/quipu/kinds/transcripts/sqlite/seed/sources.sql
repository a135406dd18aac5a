-- What the texts beside the migration add: many sources of one memory.

-- name: memory_sources: the turns that a memory was learned from
create table if not exists memory_sources (
  memory_id TEXT references memories(id),
  session_id TEXT references sessions(id),
  turn_index INTEGER not null,
  extracted_at INTEGER,
  primary key (memory_id, session_id, turn_index)
)
