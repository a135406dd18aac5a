-- name: mem0_events: a shelf for the changes of memories
create table events (
    place integer primary key, memory text, gone integer, old text, new text, created text, updated text, actor text,
    role text
)

-- name: mem0_events_by_memory: changes are asked for by their memory
create index events_by_memory on events (memory, place)

-- name: mem0_met: a shelf for ids of memories that came already
create table met (memory text primary key) without rowid

-- name: mem0_put: a change
insert into events (memory, gone, old, new, created, updated, actor, role)
values (:memory, :gone, :old, :new, :created, :updated, :actor, :role)

-- name: mem0_gone: memories whose last change is that they were deleted
create table gone as
select memory from events e
where gone and place = (select max(place) from events where memory = e.memory)

-- name: mem0_gone_texts: what these said
create table gone_texts as
select old as text from events where memory in (select memory from gone) and length(old) >= 4
union
select new from events where memory in (select memory from gone) and length(new) >= 4

-- name: mem0_count_gone: how many they are
select count(*) as count from gone

-- name: mem0_is_gone: whether a memory was deleted
select exists (select 1 from gone where memory = :memory) as gone

-- name: mem0_repeats: whether words have in them what a deleted memory said
select exists (select 1 from gone_texts where instr(:content, text) > 0) as repeats

-- name: mem0_changes: the changes of a memory since it was made
select * from events
where memory = :memory
    and place > coalesce((select max(place) from events where memory = :memory and gone), 0)
order by place

-- name: mem0_meet: a memory that comes
insert or ignore into met (memory) values (:memory)

-- name: mem0_history: the changes that a database has, in their order
select * from history order by rowid

-- name: mem0_memory_history: the changes that a database of the TypeScript edition has
select * from memory_history order by rowid

-- name: mem0_messages: the last words of each session
select * from messages order by session_scope, created_at, rowid

-- name: mem0_points: the points of Qdrant's local store, the newest first
select id, point from points order by rowid desc

-- name: mem0_vectors: the memories of the TypeScript edition's own store
select id, payload from vectors order by rowid

-- name: mem0_in_chroma: whether records of Chroma are memories
select exists (select 1 from embedding_metadata where key = 'data' and string_value is not null)
    or exists (select 1 from embeddings_queue where metadata like '%"data":%') as found

-- name: mem0_count_points: how many points a store has
select count(*) as count from points
