-- What SQL writes to ledger.chat_sessions is there afterwards, or was refused.

set local role quipu_owner;

create trigger written instead of insert or update on ledger.chat_sessions
    for each row execute function core.refuse_unwritten('id',
        'id and name are what the session is known by; whose it is and when it began may follow from what was said.', '');

reset role;
