-- Facts and assumptions: events that are only ever added, and what stands now, which is made from them.
-- Names, checks and indexes are those of "Memory + Review Evidence DB Schema (v1.1)"; space_id is ours.

insert into core.recall_kinds (code, name) values (2, 'ledger');

-- Nobody but this role takes an event out, not even the owner: see ledger.guard_event.
do $$
begin
    if not exists (select from pg_roles where rolname = 'quipu_eraser') then
        create role quipu_eraser nologin;
    end if;
    if not pg_has_role('quipu_eraser', 'quipu_app', 'usage') then
        grant quipu_app to quipu_eraser;
    end if;
    if not pg_has_role(current_user, 'quipu_eraser', 'usage') then
        execute format('grant quipu_eraser to %I', current_user);
    end if;
end
$$;

set local role quipu_owner;

create schema ledger;
grant usage on schema ledger to quipu_app;
comment on schema ledger is 'Facts, assumptions, recommendations and their evidence.';

-- What the ledger knows of a session beyond what was said in it. Shown as ledger.chat_sessions.
create table ledger.session_details (
    space_id integer not null default core.current_space() references core.spaces (id) on delete cascade,
    session_id uuid not null,
    started_at timestamptz,
    ended_at timestamptz,
    status text not null default 'active' check (status in ('active', 'ended', 'error')),
    card_type text not null default 'none' check (card_type in ('staffing', 'risk', 'opportunity', 'none')),
    location_count smallint not null default 0 check (location_count between 0 and 3),
    model text not null default 'unknown',
    prompt_version text not null default 'unknown',
    rule_version text not null default 'unknown',
    trace_id text,
    first_insight_latency_ms integer check (first_insight_latency_ms >= 0),
    had_fallback boolean not null default false,
    meta jsonb not null default '{}'::jsonb,
    primary key (space_id, session_id),
    foreign key (space_id, session_id) references core.sessions (space_id, uid)
);
comment on column ledger.session_details.started_at is 'Where it was told; else it is the time of the first message.';

create table ledger.chat_memory_events (
    space_id integer not null default core.current_space() references core.spaces (id),
    id bigserial,
    session_id uuid,
    distinct_id text check (char_length(distinct_id) between 1 and 512),
    turn_index integer not null check (turn_index >= 0),
    event_type text not null
        check (event_type in (
            'fact_set',
            'fact_corrected',
            'assumption_set',
            'assumption_corrected',
            'fact_expired',
            'fact_deleted'
        )),
    memory_scope text not null
        check (memory_scope in ('session', 'cross_session')),
    memory_namespace text not null
        check (memory_namespace in ('baseline', 'location', 'preference', 'constraint', 'system', 'other')),
    memory_key text not null check (char_length(memory_key) between 1 and 200),
    old_value_json jsonb,
    new_value_json jsonb not null,
    value_source text not null
        check (value_source in ('explicit', 'assumed', 'inferred', 'default')),
    assumed boolean not null default false,
    confidence_cap text not null default 'none'
        check (confidence_cap in ('none', 'medium', 'low')),
    correlation_id text,
    created_at timestamptz not null default now(),
    expires_at timestamptz,
    actor text check (char_length(actor) between 1 and 512),
    reason text,
    standing_event_id bigint,
    primary key (space_id, id),
    foreign key (space_id, session_id) references core.sessions (space_id, uid),
    check (
        (memory_scope = 'session' and session_id is not null)
        or
        (memory_scope = 'cross_session' and distinct_id is not null)
    ),
    check ((event_type in ('fact_expired', 'fact_deleted')) = (standing_event_id is null)),
    check (event_type not in ('fact_expired', 'fact_deleted') or new_value_json = 'null'::jsonb)
) with (autovacuum_vacuum_insert_scale_factor = 0.05);
comment on column ledger.chat_memory_events.new_value_json is 'JSON null where the value expired or was deleted.';
comment on column ledger.chat_memory_events.expires_at is 'When the value stops standing by itself; null: never.';
comment on column ledger.chat_memory_events.actor is 'Who or what wrote it, where that was said.';
comment on column ledger.chat_memory_events.standing_event_id is
    'The event whose value stands for this key after this one: itself, or a stronger one before it; null: nothing stands.';

create index idx_chat_memory_events_session_turn
    on ledger.chat_memory_events (space_id, session_id, turn_index, created_at desc);
create index idx_chat_memory_events_distinct_created
    on ledger.chat_memory_events (space_id, distinct_id, created_at desc);
create index idx_chat_memory_events_key_created
    on ledger.chat_memory_events (space_id, memory_namespace, memory_key, created_at desc);
-- From key to key, and in each straight to the last event before a moment: what was believed then.
create index idx_chat_memory_events_session_key
    on ledger.chat_memory_events (space_id, session_id, memory_namespace, memory_key, created_at desc, id desc)
    where memory_scope = 'session';
create index idx_chat_memory_events_distinct_key
    on ledger.chat_memory_events (space_id, distinct_id, memory_namespace, memory_key, created_at desc, id desc)
    where memory_scope = 'cross_session';

-- The two projections are functions of the events: a row has the number and the time of the event that
-- first set it since it was last empty, and what else it says comes from the event that stands. A row
-- goes with that event.
create table ledger.chat_session_memory (
    space_id integer not null default core.current_space() references core.spaces (id) on delete cascade,
    id bigint not null default nextval('ledger.chat_memory_events_id_seq'),
    session_id uuid not null,
    memory_namespace text not null
        check (memory_namespace in ('baseline', 'location', 'preference', 'constraint', 'system', 'other')),
    memory_key text not null,
    value_json jsonb not null,
    value_source text not null
        check (value_source in ('explicit', 'assumed', 'inferred', 'default')),
    assumed boolean not null default false,
    confidence_cap text not null default 'none'
        check (confidence_cap in ('none', 'medium', 'low')),
    source_turn_index integer not null,
    source_event_id bigint,
    first_set_at timestamptz not null default now(),
    last_updated_at timestamptz not null default now(),
    expires_at timestamptz,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    primary key (space_id, id),
    unique (space_id, session_id, memory_namespace, memory_key),
    foreign key (space_id, session_id) references core.sessions (space_id, uid),
    foreign key (space_id, source_event_id) references ledger.chat_memory_events (space_id, id) on delete cascade
) with (fillfactor = 80);
create index idx_chat_session_memory_session_updated
    on ledger.chat_session_memory (space_id, session_id, last_updated_at desc);
create index idx_chat_session_memory_expiry
    on ledger.chat_session_memory (space_id, expires_at);
create index idx_chat_session_memory_source
    on ledger.chat_session_memory (space_id, source_event_id);

create table ledger.chat_user_preferences (
    space_id integer not null default core.current_space() references core.spaces (id) on delete cascade,
    id bigint not null default nextval('ledger.chat_memory_events_id_seq'),
    distinct_id text not null check (char_length(distinct_id) between 1 and 512),
    preference_namespace text not null
        check (preference_namespace in ('baseline', 'ui', 'workflow', 'other')),
    preference_key text not null,
    value_json jsonb not null,
    value_source text not null
        check (value_source in ('explicit', 'inferred', 'default')),
    last_session_id uuid,
    first_set_at timestamptz not null default now(),
    last_updated_at timestamptz not null default now(),
    expires_at timestamptz,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    assumed boolean not null default false,
    confidence_cap text not null default 'none'
        check (confidence_cap in ('none', 'medium', 'low')),
    source_event_id bigint,
    primary key (space_id, id),
    unique (space_id, distinct_id, preference_namespace, preference_key),
    foreign key (space_id, last_session_id) references core.sessions (space_id, uid),
    foreign key (space_id, source_event_id) references ledger.chat_memory_events (space_id, id) on delete cascade
) with (fillfactor = 80);
comment on column ledger.chat_user_preferences.value_source is 'default, with assumed true, where it was assumed.';
create index idx_chat_user_preferences_distinct
    on ledger.chat_user_preferences (space_id, distinct_id, last_updated_at desc);
create index idx_chat_user_preferences_expiry
    on ledger.chat_user_preferences (space_id, expires_at);
create index idx_chat_user_preferences_source
    on ledger.chat_user_preferences (space_id, source_event_id);
create index idx_chat_user_preferences_last_session
    on ledger.chat_user_preferences (space_id, last_session_id) where last_session_id is not null;

do $$
declare
    t text;
begin
    foreach t in array array['session_details', 'chat_memory_events', 'chat_session_memory', 'chat_user_preferences'] loop
        execute format('alter table ledger.%I enable row level security', t);
        execute format('alter table ledger.%I force row level security', t);
        execute format('create policy own_space on ledger.%I using (space_id = (select core.current_space()))', t);
    end loop;
end
$$;
grant select, insert, update, delete
    on ledger.session_details, ledger.chat_session_memory, ledger.chat_user_preferences to quipu_app;
grant select, insert on ledger.chat_memory_events to quipu_app;
grant select, delete on ledger.chat_memory_events to quipu_eraser;
grant update (session_id, actor) on ledger.chat_memory_events to quipu_eraser;
grant usage on sequence ledger.chat_memory_events_id_seq to quipu_app;

-- A value that is written without saying what stands after it: that is itself.
create function ledger.complete_event() returns trigger
    language plpgsql
    as $$
begin
    if new.standing_event_id is null and new.event_type not in ('fact_expired', 'fact_deleted') then
        new.standing_event_id := new.id;
    end if;
    return new;
end
$$;
create trigger complete_event before insert on ledger.chat_memory_events
    for each row when (new.standing_event_id is null) execute function ledger.complete_event();

create function ledger.guard_event() returns trigger
    language plpgsql
    as $$
begin
    if current_user <> 'quipu_eraser' or lower(tg_op) = 'truncate' then
        raise insufficient_privilege using
            message = format('ledger.chat_memory_events is append-only: %s refused', lower(tg_op)),
            hint = 'A correction is another event; ledger.erase_events forgets.';
    end if;
    if lower(tg_op) = 'update' then
        if coalesce(new.session_id, old.session_id) is distinct from old.session_id
            or coalesce(new.actor, old.actor) is distinct from old.actor
            or to_jsonb(new) - 'session_id' - 'actor' is distinct from to_jsonb(old) - 'session_id' - 'actor' then
            raise insufficient_privilege using
                message = 'ledger.chat_memory_events is append-only: only a session or an actor that is forgotten is taken away';
        end if;
        return new;
    end if;
    return old;
end
$$;
create trigger guard_event before update or delete on ledger.chat_memory_events
    for each row execute function ledger.guard_event();
create trigger guard_events before truncate on ledger.chat_memory_events
    for each statement execute function ledger.guard_event();

-- What is taken out goes from the index in the same statement. The owner may do that for whoever erases;
-- row level security keeps it to the space that was entered.
create function ledger.unfile() returns trigger
    language plpgsql security definer set search_path = ''
    as $$
declare
    here constant integer := core.current_space();
    filed bigint[];
begin
    select array_agg(e.id) into filed
    from gone g
    join core.recall_entries e on e.space_id = here and e.source_table = tg_table_name and e.source_id = g.id::text;
    if filed is null then
        return null;
    end if;
    update core.spaces s set
        entries = s.entries - f.entries, tokens = s.tokens - f.tokens, mixed_tokens = s.mixed_tokens - f.mixed_tokens,
        version = s.version + 1, epoch = s.epoch + 1
    from (
        select count(*) as entries, sum(tokens) as tokens, sum(mixed_tokens::float8) as mixed_tokens
        from core.recall_entries where space_id = here and id = any(filed)
    ) f
    where s.id = here;
    perform core.take_out(filed);
    return null;
end
$$;
create trigger unfile after delete on ledger.chat_memory_events
    referencing old table as gone for each statement execute function ledger.unfile();

-- The history of a key is erased as a whole: a later event repeats the value before it.
create function ledger.erase_rest() returns trigger
    language plpgsql
    as $$
begin
    delete from ledger.chat_memory_events e
    using (
        select distinct session_id, memory_namespace, memory_key from gone where memory_scope = 'session'
    ) g
    where e.space_id = (select core.current_space()) and e.memory_scope = 'session' and e.session_id = g.session_id
        and e.memory_namespace = g.memory_namespace and e.memory_key = g.memory_key;
    delete from ledger.chat_memory_events e
    using (
        select distinct distinct_id, memory_namespace, memory_key from gone where memory_scope = 'cross_session'
    ) g
    where e.space_id = (select core.current_space()) and e.memory_scope = 'cross_session' and e.distinct_id = g.distinct_id
        and e.memory_namespace = g.memory_namespace and e.memory_key = g.memory_key;
    return null;
end
$$;
create trigger erase_rest after delete on ledger.chat_memory_events
    referencing old table as gone for each statement when (pg_trigger_depth() < 2) execute function ledger.erase_rest();

-- The functions below are the one way in which events go, besides working as quipu_eraser.
grant create on schema ledger to quipu_eraser;
set local role quipu_eraser;

create function ledger.erase_events(ids bigint[]) returns void
    language sql volatile security definer set search_path = ''
    as $$
    delete from ledger.chat_memory_events where space_id = core.current_space() and id = any(ids)
    $$;
comment on function ledger.erase_events(bigint[]) is
    'Erases events of the space that was entered, and all others of their keys, with what stands and can be found of them.';

create function ledger.erase_events_of_sessions(sessions uuid[]) returns void
    language sql volatile security definer set search_path = ''
    as $$
    delete from ledger.chat_memory_events
    where space_id = core.current_space() and session_id = any(sessions) and memory_scope = 'session';
    update ledger.chat_memory_events set session_id = null
    where space_id = core.current_space() and session_id = any(sessions);
    $$;
comment on function ledger.erase_events_of_sessions(uuid[]) is
    'Erases what was known in sessions; what was said there of a person stays theirs, without the session.';

create function ledger.erase_actor(name text) returns void
    language sql volatile security definer set search_path = ''
    as $$
    update ledger.chat_memory_events set actor = null where space_id = core.current_space() and actor = name
    $$;
comment on function ledger.erase_actor(text) is 'Takes a name away from what its bearer wrote of others.';

revoke execute on function ledger.erase_events(bigint[]), ledger.erase_events_of_sessions(uuid[]), ledger.erase_actor(text)
    from public;
grant execute on function ledger.erase_events(bigint[]), ledger.erase_events_of_sessions(uuid[]), ledger.erase_actor(text)
    to quipu_app;

set local role quipu_owner;
revoke create on schema ledger from quipu_eraser;
reset role;
