-- What was really said: sessions and messages, append-only until retention or erasure. A message has
-- the id of its entry in the recall index, so that each leads to the other without a search.

insert into core.recall_kinds (code, name) values (1, 'message');

set local role quipu_owner;

create table core.sessions (
    space_id integer not null references core.spaces (id) on delete cascade,
    id bigint generated always as identity,
    name text not null check (char_length(name) between 1 and 512),
    messages bigint not null default 0,
    started_at timestamptz,
    last_at timestamptz,
    created_at timestamptz not null default now(),
    primary key (space_id, id),
    unique (space_id, name)
) with (fillfactor = 70);
comment on column core.sessions.name is 'The id that the caller gave.';
comment on column core.sessions.started_at is 'When its oldest message was said; last_at the newest.';

create table core.messages (
    space_id integer not null references core.spaces (id) on delete cascade,
    id bigint not null,
    session_id bigint,
    external_id text not null check (char_length(external_id) between 1 and 512),
    role text not null check (role in ('user', 'assistant', 'system', 'tool')),
    speaker text,
    user_name text,
    happened_at timestamptz not null,
    recorded_at timestamptz not null,
    redacted integer not null default 0 check (redacted >= 0),
    content text not null,
    primary key (space_id, id),
    unique nulls not distinct (space_id, external_id, session_id),
    foreign key (space_id, session_id) references core.sessions (space_id, id)
) with (autovacuum_vacuum_insert_scale_factor = 0.05);
comment on column core.messages.id is 'The id of its entry in core.recall_entries.';
comment on column core.messages.external_id is 'The id that the caller gave, or one made for it.';
comment on column core.messages.redacted is 'How many secrets were cut out before it was written.';
create index messages_user on core.messages (space_id, user_name) where user_name is not null;

do $$
declare
    t text;
begin
    foreach t in array array['sessions', 'messages'] loop
        execute format('alter table core.%I enable row level security', t);
        execute format('alter table core.%I force row level security', t);
        execute format('create policy own_space on core.%I using (space_id = (select core.current_space()))', t);
        execute format('grant select, insert, update, delete on core.%I to quipu_app', t);
    end loop;
end
$$;

reset role;
