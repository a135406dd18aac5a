-- The proof of each erasure: what kind of thing was erased, when and how much, never its content or name.

set local role quipu_owner;

create table core.erasures (
    space_id integer not null,
    id uuid not null default gen_random_uuid(),
    session_hash text,
    user_hash text,
    message_hash text,
    counts jsonb not null,
    erased_at timestamptz not null,
    primary key (space_id, id)
);
comment on table core.erasures is 'No reference to core.spaces: the proof outlives a space that was erased whole.';
comment on column core.erasures.user_hash is 'SHA-256 of space and name: a restored snapshot is checked against it.';

alter table core.erasures enable row level security;
alter table core.erasures force row level security;
create policy own_space on core.erasures using (space_id = (select core.current_space()));
grant select, insert on core.erasures to quipu_app;

reset role;
