-- Lists of 100,000 memories: the index has their whole order, the live ones first, then the more important, then what
-- changed last; what was used last is found without reading all of them, and so are the words that a memory rests on,
-- which lists count and which go with it.

set local role quipu_owner;

drop index longterm.idx_memory_archived;
create index idx_memory_archived on longterm.long_term_memory (space_id, archived desc, importance, updated_at, id);
create index long_term_memory_used on longterm.long_term_memory (space_id, last_accessed_at)
    where last_accessed_at is not null;
create index sources_memory on longterm.sources (space_id, memory_id, version);

reset role;
