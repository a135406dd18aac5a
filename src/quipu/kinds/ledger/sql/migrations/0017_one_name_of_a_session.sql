-- A session has one name: its id is that name, or is made from it.

set local role quipu_owner;

create function ledger.refuse_two_names() returns trigger
    language plpgsql
    as $$
begin
    if new.id::text <> new.name then
        raise feature_not_supported using
            message = 'id and name of ledger.chat_sessions cannot be chosen both',
            hint = 'The id follows from the name. Give one of them; a name that is a uuid is the id as well.';
    end if;
    return new;
end
$$;
create trigger named_once instead of insert on ledger.chat_sessions
    for each row execute function ledger.refuse_two_names();

reset role;
