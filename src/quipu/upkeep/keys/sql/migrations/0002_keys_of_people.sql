-- A key can be bound to one user of its space: it reads and writes that person's rows alone.

set local role quipu_owner;

alter table core.api_keys
    add column user_name text check (char_length(user_name) between 1 and 512),
    add constraint api_keys_of_person check (user_name is null or space is not null and level <> 'admin');
comment on column core.api_keys.user_name is 'The one user of its space whose rows it sees and writes; null: everybody.';

create function core.count_api_keys_of_person(person text) returns bigint
    language sql stable security definer set search_path = ''
    as $$
    select count(*) from core.api_keys where space = current_setting('quipu.space', true) and user_name = person
    $$;
comment on function core.count_api_keys_of_person(text) is 'How many keys are bound to a user of the space of this transaction.';

create function core.drop_api_keys_of_person(person text) returns void
    language sql volatile security definer set search_path = ''
    as $$
    delete from core.api_keys where space = current_setting('quipu.space', true) and user_name = person
    $$;
comment on function core.drop_api_keys_of_person(text) is 'Forgets the keys bound to a user, and with them their name.';

revoke execute on function core.count_api_keys_of_person(text), core.drop_api_keys_of_person(text) from public;
grant execute on function core.count_api_keys_of_person(text), core.drop_api_keys_of_person(text) to quipu_app;

reset role;
