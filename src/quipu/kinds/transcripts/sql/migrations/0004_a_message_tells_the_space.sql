-- A message that waits for the index refers to its message, and that to its space, with which it goes too. To look at
-- the space a second time cost a third of writing down that a message waits.

set local role quipu_owner;

alter table core.unfiled_messages drop constraint unfiled_messages_space_id_fkey;

reset role;
