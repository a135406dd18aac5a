-- "Schema Changes for Memory Extraction", for an existing file of ccrecall.

-- name: memories: what was learned from sessions
create table if not exists memories (
  id TEXT primary key,
  session_id TEXT references sessions(id),
  fact TEXT not null,
  category TEXT,
  confidence REAL,
  created_at INTEGER,
  updated_at INTEGER
)

-- name: memories_extracted: whether memories were extracted from a session
alter table sessions add column memories_extracted INTEGER default 0

-- name: extraction_attempted_at: when that was tried last
alter table sessions add column extraction_attempted_at INTEGER

-- name: idx_memories_session: memories of a session
create index if not exists idx_memories_session on memories(session_id)

-- name: idx_memories_category: memories of a category
create index if not exists idx_memories_category on memories(category)

-- name: idx_memories_created: recent memories
create index if not exists idx_memories_created on memories(created_at)

-- name: idx_sessions_extraction: sessions nothing was extracted from
create index if not exists idx_sessions_extraction on sessions(memories_extracted, extraction_attempted_at)
