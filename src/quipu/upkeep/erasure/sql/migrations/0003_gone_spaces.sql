-- A receipt of a space that was forgotten whole is found by the name of the space, of which only a keyed hash is kept.

set local role quipu_owner;

alter table core.erasures add column space_hash text;
comment on column core.erasures.space_hash is
    'Of a space that was forgotten whole: SHA-256 of a key of the database and the SHA-256 of its name and an empty name.';

create function core.gone_space(wanted text, receipt uuid) returns integer
    language sql stable security definer set search_path = ''
    as $$ select space_id from core.erasures where space_hash = wanted and id = receipt $$;
comment on function core.gone_space(text, uuid) is
    'The number of a space that was forgotten whole; found by who knows its name and the id of its receipt.';

revoke execute on function core.gone_space(text, uuid) from public;
grant execute on function core.gone_space(text, uuid) to quipu_app;

reset role;
