set local role quipu_owner;

-- Keys for programs that reach a memory through a server. Of a token only the hash is kept.
create table core.api_keys (
    id text primary key check (id ~ '^[0-9a-f]{12}$'),
    name text not null check (char_length(name) between 1 and 512),
    space text check (char_length(space) between 1 and 512),
    level text not null check (level in ('read', 'write', 'admin')),
    requests_per_minute integer not null check (requests_per_minute between 1 and 1000000),
    token_sha256 bytea not null check (octet_length(token_sha256) = 32),
    created_at timestamptz not null,
    last_used_at timestamptz,
    revoked_at timestamptz,
    user_name text check (char_length(user_name) between 1 and 512),
    constraint api_keys_of_person check (user_name is null or space is not null and level <> 'admin')
);
comment on table core.api_keys is
    'Of no space: a key is looked up before a space is entered, and may be there before its space is.';
comment on column core.api_keys.space is 'The one space that it opens; null: all of them.';
comment on column core.api_keys.user_name is 'The one user of its space whose rows it sees and writes; null: everybody.';

create index api_keys_of_space on core.api_keys (space);

create function core.find_api_key(wanted text) returns setof core.api_keys
    language sql stable security definer set search_path = ''
    as $$ select * from core.api_keys where id = wanted $$;
comment on function core.find_api_key(text) is 'One key by its id: who has not got the id finds none.';

create function core.count_api_keys() returns bigint
    language sql stable security definer set search_path = ''
    as $$ select count(*) from core.api_keys where revoked_at is null $$;
comment on function core.count_api_keys() is 'How many keys open anything.';

create function core.touch_api_keys(used text[], at timestamptz) returns void
    language sql volatile security definer set search_path = ''
    as $$
    update core.api_keys set last_used_at = at where id = any (used) and (last_used_at is null or last_used_at < at)
    $$;
comment on function core.touch_api_keys(text[], timestamptz) is 'Notes when keys were last used.';

create function core.drop_api_keys_of_space() returns bigint
    language sql volatile security definer set search_path = ''
    as $$
    with gone as (delete from core.api_keys where space = current_setting('quipu.space', true) returning 1)
    select count(*) from gone
    $$;
comment on function core.drop_api_keys_of_space() is 'Forgets the keys of the space of this transaction, and with them its name.';

create function core.count_api_keys_of_space() returns bigint
    language sql stable security definer set search_path = ''
    as $$ select count(*) from core.api_keys where space = current_setting('quipu.space', true) $$;
comment on function core.count_api_keys_of_space() is 'How many keys the space of this transaction has, revoked ones too.';

revoke execute on function core.find_api_key(text), core.count_api_keys(), core.touch_api_keys(text[], timestamptz),
    core.drop_api_keys_of_space(), core.count_api_keys_of_space() from public;

grant execute on function core.find_api_key(text), core.count_api_keys(), core.touch_api_keys(text[], timestamptz),
    core.drop_api_keys_of_space(), core.count_api_keys_of_space() to quipu_app;

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
