-- Rows that are written by hand ask for their space (see core.entered).

set local role quipu_owner;

select core.ask_for_space_in('transcripts');

reset role;
