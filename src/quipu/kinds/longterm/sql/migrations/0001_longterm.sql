-- What to know about a person before answering. Names are those of "Data Model: Sati Memory Middleware";
-- space_id and the columns after "archived" are ours, times are timestamptz, ids are uuid.
insert into core.recall_kinds (code, name) values (5, 'longterm');

set local role quipu_owner;

create schema longterm;

grant usage on schema longterm to quipu_app;
comment on schema longterm is 'What to know about a person: retrieved before the agent, evaluated after it.';

-- An enumeration and no check: so high is more than medium, and medium more than low.
create type longterm.importance as enum ('low', 'medium', 'high');

create table longterm.long_term_memory (
    space_id integer not null default core.current_space() references core.spaces (id) on delete cascade,
    id uuid not null default gen_random_uuid(),
    category text not null check (category in ('preference', 'project', 'identity', 'constraint', 'context',
        'personal_data', 'languages', 'favorite_things', 'relationships', 'pets', 'naming', 'professional_profile')),
    importance longterm.importance not null,
    summary text not null check (char_length(summary) between 1 and 4000),
    details text check (char_length(details) between 1 and 20000),
    hash text not null check (hash ~ '^[0-9a-f]{64}$'),
    source text check (char_length(source) between 1 and 512),
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    last_accessed_at timestamptz,
    access_count integer not null default 0 check (access_count >= 0),
    version integer not null default 1 check (version > 0),
    archived boolean not null default false,
    user_name text check (char_length(user_name) between 1 and 512),
    session text check (char_length(session) between 1 and 512),
    happened_at timestamptz not null default '-infinity', -- replaced by created_at: see longterm.date_memory
    stated_count integer not null default 1 check (stated_count >= 0),
    entry_id bigint,
    valid_from timestamptz,
    valid_until timestamptz,
    told_until timestamptz,
    metadata jsonb not null default '{}' check (jsonb_typeof(metadata) = 'object'),
    agent_id text,
    app_id text,
    run_id text,
    primary key (space_id, id),
    check (not (archived and entry_id is not null))
);
comment on column longterm.long_term_memory.hash is 'SHA-256 of the normalised summary; unique among the live memories of a user.';
comment on column longterm.long_term_memory.access_count is 'How often it was put into a prompt; within an hour counts once.';
comment on column longterm.long_term_memory.version is 'Grows with every change of what it says; see longterm.history.';
comment on column longterm.long_term_memory.user_name is 'Whom it is about; null: it holds for everybody in the space.';
comment on column longterm.long_term_memory.happened_at is 'When it was first said as it reads now.';
comment on column longterm.long_term_memory.stated_count is 'How often it was said.';
comment on column longterm.long_term_memory.valid_from is 'Since when it holds; null: since happened_at.';
comment on column longterm.long_term_memory.valid_until is
    'When it ceased to hold; null: it holds. The earlier of told_until and what core.relations say.';
comment on column longterm.long_term_memory.told_until is 'When it ceased to hold, as who wrote it said.';
comment on column longterm.long_term_memory.entry_id is 'Its entry in core.recall_entries; archived ones have none.';

comment on column longterm.long_term_memory.metadata is 'What else is known of it; filters ask for it. Its changes are no versions.';

comment on column longterm.long_term_memory.agent_id is 'Of the metadata, as app_id and run_id; a trigger keeps it so.';

-- No generated columns, as messages have: rows are copied by SQL with all their columns.
create function longterm.note_ids() returns trigger
    language plpgsql volatile set search_path = pg_catalog, pg_temp
    as $$
begin
    new.agent_id := left(new.metadata ->> 'agent_id', 512);
    new.app_id := left(new.metadata ->> 'app_id', 512);
    new.run_id := left(new.metadata ->> 'run_id', 512);
    return new;
end
$$;

create trigger note_ids before insert or update of metadata, agent_id, app_id, run_id on longterm.long_term_memory
    for each row execute function longterm.note_ids();

create index long_term_memory_agent on longterm.long_term_memory (space_id, agent_id) where agent_id is not null;

create index long_term_memory_app on longterm.long_term_memory (space_id, app_id) where app_id is not null;

create index long_term_memory_run on longterm.long_term_memory (space_id, run_id) where run_id is not null;

create index idx_memory_archived on longterm.long_term_memory (space_id, archived desc, importance, updated_at, id);

create index idx_memory_category on longterm.long_term_memory (space_id, category);

create index idx_memory_importance on longterm.long_term_memory (space_id, importance);

create index long_term_memory_used on longterm.long_term_memory (space_id, last_accessed_at)
    where last_accessed_at is not null;

create index long_term_memory_unindexed on longterm.long_term_memory (space_id, id)
    where entry_id is null and not archived;

create unique index long_term_memory_hash on longterm.long_term_memory (space_id, user_name, hash)
    nulls not distinct where not archived;

create index long_term_memory_any_hash on longterm.long_term_memory (space_id, hash);

create unique index long_term_memory_entry on longterm.long_term_memory (space_id, entry_id)
    where entry_id is not null;

-- How a memory read before it was changed, archived or brought back; who did that, and why.
create table longterm.history (
    space_id integer not null default core.current_space(),
    id bigint generated always as identity,
    memory_id uuid not null,
    version integer not null check (version > 0),
    act text not null check (act in ('edit', 'restate', 'archive', 'revive', 'revert')),
    category text not null,
    importance longterm.importance not null,
    summary text not null,
    details text,
    changed_at timestamptz not null,
    changed_by text not null check (char_length(changed_by) between 1 and 512),
    reason text,
    primary key (space_id, id),
    foreign key (space_id, memory_id) references longterm.long_term_memory (space_id, id) on delete cascade
);
comment on column longterm.history.version is 'The version that read so; archiving and reviving leave it as it is.';

create index history_memory on longterm.history (space_id, memory_id, id);

-- The words that a version of a memory rests on.
create table longterm.sources (
    space_id integer not null default core.current_space(),
    id bigint generated always as identity,
    memory_id uuid not null,
    version integer not null check (version > 0),
    session text,
    message text,
    message_id bigint,
    turn_index integer check (turn_index >= 0),
    excerpt text not null default '' check (char_length(excerpt) <= 1000),
    evaluator text,
    rule text check (char_length(rule) between 1 and 512),
    happened_at timestamptz,
    created_at timestamptz not null,
    primary key (space_id, id),
    foreign key (space_id, memory_id) references longterm.long_term_memory (space_id, id) on delete cascade
);
comment on column longterm.sources.rule is 'What read them so: the family of sayings, or the evaluator''s name where it has none.';
comment on column longterm.sources.message is 'The id that the caller gave; message_id is that of core.messages, where it is there.';

create unique index sources_once on longterm.sources (space_id, memory_id, version, session, message)
    nulls not distinct where message is not null;

create index sources_memory on longterm.sources (space_id, memory_id, version);

create index sources_session on longterm.sources (space_id, session) where session is not null;

create index sources_message on longterm.sources (space_id, message) where message is not null;

create index sources_message_id on longterm.sources (space_id, message_id) where message_id is not null;

-- One line for each recovery and evaluation. It holds no text of a memory: those are looked up by id.
create table longterm.audit (
    space_id integer not null default core.current_space() references core.spaces (id) on delete cascade,
    id bigint generated always as identity,
    at timestamptz not null,
    act text not null check (act in ('recover', 'evaluate')),
    outcome text not null check (outcome in ('found', 'nothing', 'timeout', 'failed', 'done')),
    trouble text check (char_length(trouble) <= 1000),
    user_name text,
    session text,
    message text,
    evaluator text,
    took_ms integer not null check (took_ms >= 0),
    tokens integer not null default 0 check (tokens >= 0),
    counts jsonb not null default '{}'::jsonb,
    primary key (space_id, id)
);
comment on column longterm.audit.message is 'The message that was answered, or the last that was evaluated: the caller''s own id.';

create index audit_time on longterm.audit (space_id, at);

create table longterm.audit_memories (
    space_id integer not null default core.current_space(),
    audit_id bigint not null,
    place integer not null check (place >= 0),
    memory_id uuid not null,
    action text not null check (action in ('recalled', 'injected', 'included', 'restated', 'revived', 'edited',
        'archived', 'kept')),
    score real check (score between 0 and 1),
    parts jsonb,
    reason text check (char_length(reason) <= 1000),
    primary key (space_id, audit_id, place),
    foreign key (space_id, audit_id) references longterm.audit (space_id, id) on delete cascade,
    foreign key (space_id, memory_id) references longterm.long_term_memory (space_id, id) on delete cascade
);

create index audit_memories_memory on longterm.audit_memories (space_id, memory_id);

-- How far each session was evaluated.
create table longterm.evaluations (
    space_id integer not null default core.current_space(),
    session_id bigint not null,
    evaluator text not null check (char_length(evaluator) between 1 and 512),
    version integer not null check (version > 0),
    message_id bigint not null default 0,
    turns integer not null default 0 check (turns >= 0),
    evaluated_at timestamptz not null,
    trouble text,
    primary key (space_id, session_id, evaluator),
    foreign key (space_id, session_id) references core.sessions (space_id, id) on delete cascade
);
comment on column longterm.evaluations.message_id is 'The last message that was evaluated; turns counts those of the user.';

call core.keep_in_space('longterm', array['long_term_memory', 'history', 'sources', 'audit', 'audit_memories',
    'evaluations']);

grant usage on all sequences in schema longterm to quipu_app;

-- What of long-term memory belongs to one person (see core.current_person): memories that name them and rest on nobody
-- else's messages, and what hangs from these.
create function longterm.is_of_person(memory uuid) returns boolean
    language sql stable security definer set search_path = ''
    return core.are_of_person(array(
        select x.message_id from longterm.sources x
        where x.space_id = core.current_space() and x.memory_id = memory and x.message_id is not null));
comment on function longterm.is_of_person(uuid) is
    'Whether the messages that a memory rests on belong to the person of this transaction alone.';

create policy person on longterm.long_term_memory as restrictive to quipu_person
    using (user_name = (select core.current_person()) and longterm.is_of_person(id));

call core.show_with_row('longterm', array['history'], 'memory_id', of => 'longterm.long_term_memory');

create policy person on longterm.sources as restrictive to quipu_person
    using (exists (select from longterm.long_term_memory m
        where m.space_id = sources.space_id and m.id = sources.memory_id))
    with check (core.are_of_person(array[message_id]));

create policy person on longterm.audit as restrictive to quipu_person
    using (user_name = (select core.current_person()));

call core.show_with_row('longterm', array['audit_memories'], 'audit_id', of => 'longterm.audit');
call core.show_with_session('longterm', array['evaluations']);

grant usage on schema longterm to quipu_person;

grant select, insert, update on longterm.long_term_memory, longterm.history, longterm.sources, longterm.audit,
    longterm.audit_memories to quipu_person;

grant select on longterm.evaluations to quipu_person;
grant usage on all sequences in schema longterm to quipu_person;

-- What SQL writes to long_term_memory is found, too (see core.unindex_row). A change of what a memory says keeps how it
-- read before, as the doors do. The hash of such a row is made right when it is filed.
create function longterm.date_memory() returns trigger
    language plpgsql volatile
    as $$
begin
    new.happened_at := new.created_at;
    return new;
end
$$;

create trigger date_memory before insert on longterm.long_term_memory
    for each row when (new.happened_at = '-infinity') execute function longterm.date_memory();

-- Whoever changes a memory, its history says so: archiving and bringing back by SQL left no line, and a change of the
-- category or importance neither. The database writes each line; a door says then who it was and why.
create function longterm.keep_wording() returns trigger
    language plpgsql volatile
    as $$
begin
    insert into longterm.history (space_id, memory_id, version, act, category, importance, summary, details, changed_at,
        changed_by)
    values (old.space_id, old.id, old.version, case when new.archived and not old.archived then 'archive'
            when old.archived and not new.archived then 'revive' else 'edit' end,
        old.category, old.importance, old.summary, old.details, now(), 'sql');
    if new.version = old.version and (old.summary, old.details, old.category, old.importance)
        is distinct from (new.summary, new.details, new.category, new.importance) then
        new.version := old.version + 1;
        new.updated_at := greatest(new.updated_at, now());
    end if;
    return new;
end
$$;

create trigger keep_wording before update on longterm.long_term_memory
    for each row when ((old.summary, old.details, old.category, old.importance, old.archived, old.version)
        is distinct from (new.summary, new.details, new.category, new.importance, new.archived, new.version))
    execute function longterm.keep_wording();

-- Rows that are written by hand ask for their space (see core.entered).
select core.ask_for_space_in('longterm');

-- Whatever SQL does to a row, its entry is its own (see core.be_given_entry): also where it is copied back, is given
-- another id, or all of them are to go at once.
call core.keep_filed('longterm', 'long_term_memory', 5, live => 'not new.archived',
    said => array['id', 'summary', 'details', 'user_name', 'happened_at', 'archived']);

-- A memory holds until a person links a later message to one of those that its words rest on.
call core.end_by_relations('longterm', 'long_term_memory', 'sources', 'memory_id', rests => 's.version = x.version');

-- Other words rest on other sources: none, until these are written.
create function longterm.follow_version() returns trigger
    language plpgsql volatile security definer set search_path = ''
    as $$
begin
    perform longterm.settle_validity(array[new.id]);
    return null;
end
$$;

create trigger follow_version after update of version on longterm.long_term_memory
    for each row when (old.valid_until is not null and old.version <> new.version)
    execute function longterm.follow_version();

reset role;
