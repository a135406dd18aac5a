-- Recalled memory that is put into a prompt is marked with a code of the space, so that only what bears a true one
-- is cut out when it comes back. The key is made with the space, moves with its row, and goes with it.

set local role quipu_owner;

alter table core.spaces add column mark_key bytea;
-- gen_random_uuid draws from the operating system, 122 bits each; a default that is volatile is drawn for each row.
alter table core.spaces alter column mark_key
    set default sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()));

-- Row level security admits nobody to the rows of all spaces, so each is entered.
do $$
declare
    known text;
begin
    for known in select name from core.spaces loop
        perform core.enter(known);
        update core.spaces set mark_key = default where name = known;
    end loop;
    perform set_config('quipu.space', '', true), set_config('quipu.space_id', '', true);
end
$$;

alter table core.spaces alter column mark_key set not null;
alter table core.spaces add check (octet_length(mark_key) = 32);
comment on column core.spaces.mark_key is
    'The secret of the space by which memory that was put into a prompt is recognised. No view shows it.';

reset role;
