-- "Database Schema (santi-memory.db)", as it stands there.

-- name: long_term_memory: the persistent memories derived from user interactions
create table long_term_memory (
  id TEXT PRIMARY KEY,
  category TEXT NOT NULL,
  importance TEXT NOT NULL,
  summary TEXT NOT NULL,
  details TEXT,
  hash TEXT NOT NULL UNIQUE,
  source TEXT,
  created_at DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,
  last_accessed_at DATETIME,
  access_count INTEGER DEFAULT 0,
  version INTEGER DEFAULT 1,
  archived BOOLEAN DEFAULT 0
)

-- name: idx_memory_category: memories of a category
create index idx_memory_category on long_term_memory(category)

-- name: idx_memory_importance: memories of an importance
create index idx_memory_importance on long_term_memory(importance)

-- name: idx_memory_archived: memories that are archived, or not
create index idx_memory_archived on long_term_memory(archived)
