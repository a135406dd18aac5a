-- Events have no foreign key to their space, which each of them would have to lock; so the space looks itself.

set local role quipu_owner;

create function ledger.guard_space() returns trigger
    language plpgsql
    as $$
begin
    if exists (select from ledger.chat_memory_events where space_id = old.id) then
        raise foreign_key_violation using
            message = format('the space %s has events in ledger.chat_memory_events', old.name),
            hint = 'An erasure of the space takes them out first.';
    end if;
    return old;
end
$$;
create trigger guard_space before delete on core.spaces
    for each row execute function ledger.guard_space();

reset role;
