-- Each space says which embedding model its vectors come from, so that a change of the model can go from
-- space to space and whoever enters a space knows which one to use there.

set local role quipu_owner;

alter table core.spaces add column generation smallint;
comment on column core.spaces.generation is
    'core.recall_generations.id of the vectors that are searched here; null before the first entry.';

reset role;
