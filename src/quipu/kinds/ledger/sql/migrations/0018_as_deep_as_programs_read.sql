-- A program that reads JSON gives up where it is too deep, and one such row would keep every reader from the others.

set local role quipu_owner;

-- What is 33 deep takes 264 bytes at least, so that for most values nothing is looked at.
create function ledger.is_readable(value jsonb) returns boolean
    language sql immutable parallel safe
    as $$ select pg_column_size(value) < 264 or not value @? 'strict $.**{33}' $$;
comment on function ledger.is_readable(jsonb) is 'Whether JSON is at most 32 deep, as the library writes it.';

alter table ledger.chat_memory_events add constraint values_are_readable
    check (ledger.is_readable(new_value_json) and ledger.is_readable(old_value_json)) not valid;
alter table ledger.chat_session_memory add constraint values_are_readable
    check (ledger.is_readable(value_json)) not valid;
alter table ledger.chat_user_preferences add constraint values_are_readable
    check (ledger.is_readable(value_json)) not valid;
alter table ledger.shapes add constraint values_are_readable check (ledger.is_readable(shape)) not valid;

reset role;
