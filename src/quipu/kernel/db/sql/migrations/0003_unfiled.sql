-- A kind of memory may write cheaply and leave it to the next recall to file what is new.

set local role quipu_owner;

alter table core.spaces add column unfiled integer not null default 0;
comment on column core.spaces.unfiled is 'Kinds that wrote since they were last filed: the bit 1 << (code - 1) of core.recall_kinds.';

reset role;
