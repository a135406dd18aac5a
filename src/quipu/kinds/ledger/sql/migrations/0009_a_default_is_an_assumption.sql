-- A default is an assumption: whoever writes one, it is marked as such and caps what is concluded from it.

set local role quipu_owner;

create function ledger.mark_assumption() returns trigger
    language plpgsql
    as $$
begin
    new.assumed := true;
    if new.confidence_cap = 'none' then
        new.confidence_cap := 'medium';
    end if;
    return new;
end
$$;
comment on function ledger.mark_assumption() is 'Where a default is used, assumed is true and there is a cap.';

create trigger mark_assumption before insert on ledger.chat_memory_events
    for each row when (new.value_source in ('assumed', 'default') and new.event_type not in ('fact_expired', 'fact_deleted')
        and (not new.assumed or new.confidence_cap = 'none'))
    execute function ledger.mark_assumption();
create trigger mark_assumption before insert or update on ledger.chat_session_memory
    for each row when (new.value_source in ('assumed', 'default') and (not new.assumed or new.confidence_cap = 'none'))
    execute function ledger.mark_assumption();
create trigger mark_assumption before insert or update on ledger.chat_user_preferences
    for each row when (new.value_source in ('assumed', 'default') and (not new.assumed or new.confidence_cap = 'none'))
    execute function ledger.mark_assumption();

-- What stood before is disclosed from now on; its events say what they said.
do $$
declare
    known text;
begin
    for known in select name from core.spaces loop
        perform core.enter(known);
        update ledger.chat_session_memory set value_source = value_source where value_source = 'default';
        update ledger.chat_user_preferences set value_source = value_source where value_source = 'default' and not assumed;
    end loop;
    perform set_config('quipu.space', '', true), set_config('quipu.space_id', '', true);
end
$$;

reset role;
