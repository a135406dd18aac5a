-- name: plain_table
-- What an event says and nothing else: the least that keeping it costs.
create table plain (
    id bigint generated always as identity primary key,
    session text not null,
    turn_index integer not null,
    memory_key text not null,
    new_value_json jsonb not null,
    value_source text not null,
    created_at timestamptz not null
);

-- name: plain_grant
-- The ledger works as this role, so this does too.
grant select, insert on plain to quipu_app;

-- name: plain
insert into plain (session, turn_index, memory_key, new_value_json, value_source, created_at)
values (%(session)s, 0, %(key)s, %(value)s::jsonb, 'explicit', %(at)s);

-- name: history
-- So many events of one space, as the ledger itself writes them.
select count(ledger.append(%(space)s, 'set', 'session', 'session-' || n %% %(sessions)s, null, 'other',
    'key-' || n / %(sessions)s %% %(keys)s, jsonb_build_object('value', n), 'explicit', false, 'none', 0,
    %(begin)s::timestamptz + n * interval '1 minute', null, null, null, null, null, null))
from generate_series(%(first)s::int8, %(last)s::int8) as n;

-- name: settle
vacuum analyze;

-- name: durable
select 'fsync ' || current_setting('fsync') || ', synchronous_commit ' || current_setting('synchronous_commit');
