-- As long as the planner takes the table for small (nobody has analyzed it since a first import, or it holds many
-- small spaces), an entry by its id and all entries of a space cost it the same, and it took this index for
-- both. With a condition of its own, only the query for signatures can use it.

set local role quipu_owner;

drop index core.recall_entries_version;
create index recall_entries_version on core.recall_entries (space_id, version) where bits is not null;

reset role;
