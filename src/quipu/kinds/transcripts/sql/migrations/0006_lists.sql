-- What was used last is found without reading all of it.

set local role quipu_owner;

create index memories_used on transcripts.memories (space_id, used_at) where used_at is not null;

reset role;
