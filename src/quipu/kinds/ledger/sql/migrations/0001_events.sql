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

-- No reference to core.spaces: row level security admits only the space that was entered, which nobody removes
-- meanwhile, and each event would lock its one row. An erasure of the space takes the events out by itself.
create table ledger.chat_memory_events (
    space_id integer not null default core.current_space(),
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
-- The last of the indexes: while the table is empty all of them look equal, and the planner takes the last. The
-- check of source_event_id below, planned then and kept, would read all events of the space otherwise.
alter table ledger.chat_memory_events add primary key (space_id, id);

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

-- How an event is written: the space is entered, the key is held, what stands there is compared, the event is
-- added and what stands now is kept, all in one statement, which is a transaction if it stands alone. The
-- same rule of what stands is written once more in Python, where the projections are made anew from the
-- events alone; a test compares the two over random histories.
create function ledger.rank(value_source text) returns integer
    language sql immutable parallel safe
    return case value_source when 'explicit' then 3 when 'inferred' then 2 when 'assumed' then 1 else 0 end;
comment on function ledger.rank(text) is 'What was said beats what was inferred, that beats what was assumed, and that a default.';

create function ledger.preference_place(memory_namespace text, memory_key text) returns text[]
    language sql immutable parallel safe
    return case
        when memory_namespace = 'baseline' then array['baseline', memory_key]
        when memory_namespace = 'preference' and memory_key like 'ui.%' then array['ui', memory_key]
        when memory_namespace = 'preference' and memory_key like 'workflow.%' then array['workflow', memory_key]
        when memory_namespace = 'other' or starts_with(memory_key, memory_namespace || '.') then array['other', memory_key]
        else array['other', memory_namespace || '.' || memory_key]
    end;
comment on function ledger.preference_place(text, text) is
    'Namespace and key under which a key of an event stands among the preferences, which have namespaces of their own.';

create type ledger.appended as (
    problem text,
    detail text,
    event_id bigint,
    event_type text,
    created_at timestamptz,
    expires_at timestamptz,
    session_id uuid,
    distinct_id text,
    turn_index integer,
    stands boolean,
    before_id bigint,
    before_value jsonb,
    before_source text,
    before_assumed boolean,
    before_cap text,
    before_turn integer,
    before_at timestamptz,
    before_expires_at timestamptz
);
comment on type ledger.appended is
    'What came of an append: a problem and nothing else; or the event (none if it would have changed nothing) and what stood before.';

create function ledger.append(
    space text, act text, scope text, session text, person text, namespace text, key text, value jsonb, source text,
    assumption boolean, cap text, turn integer, at timestamptz, expires timestamptz, renewal interval, correlation text,
    who text, why text, latest_known bigint
) returns ledger.appended
    language plpgsql volatile
    as $$
#variable_conflict use_column
declare
    here integer;
    thread core.sessions;
    latest ledger.chat_memory_events;
    standing ledger.chat_memory_events;
    live boolean;
    place text[];
    done ledger.appended;
begin
    perform pg_advisory_xact_lock_shared(hashtextextended(space, 7310522003));
    here := (core.enter(space)).id;
    if here is null then
        if session is not null then
            done.problem := 'session';
            return done;
        elsif act not in ('set', 'assume') then
            done.problem := 'nothing';
            return done;
        end if;
        insert into core.spaces (name) values (space) on conflict do nothing;
        here := (core.enter(space)).id;
    end if;

    if session is not null then
        select * into thread from core.sessions s where s.space_id = here and s.name = session;
        if thread.id is null then
            done.problem := 'session';
            return done;
        end if;
        if person <> thread.distinct_id then
            done.problem := 'user';
            return done;
        end if;
        person := coalesce(thread.distinct_id, person);
        if thread.messages > 0 then
            if turn > thread.messages or turn is null then
                select count(*) into done.turn_index from core.messages m
                where m.space_id = here and m.id between thread.id << 24 and (thread.id << 24) + 16777215
                    and m.role = 'user';
                if turn > thread.messages then
                    done.problem := 'turn';
                    return done;
                end if;
            end if;
        end if;
    end if;
    if scope = 'cross_session' and person is null then
        done.problem := 'nobody';
        return done;
    end if;
    done.session_id := thread.uid;
    done.distinct_id := person;
    done.turn_index := coalesce(turn, done.turn_index, 0);

    -- One writer a key at a time, also where there is no row yet that could be held.
    perform pg_advisory_xact_lock(hashtextextended(
        concat_ws('/', here, scope, case scope when 'session' then session else person end, namespace, key), 7310522004));
    if scope = 'session' then
        select * into latest from ledger.chat_memory_events e
        where e.space_id = here and e.memory_scope = 'session' and e.session_id = thread.uid
            and e.memory_namespace = namespace and e.memory_key = key
        order by e.created_at desc, e.id desc limit 1;
    else
        select * into latest from ledger.chat_memory_events e
        where e.space_id = here and e.memory_scope = 'cross_session' and e.distinct_id = person
            and e.memory_namespace = namespace and e.memory_key = key
        order by e.created_at desc, e.id desc limit 1;
    end if;
    if latest_known <> latest.id then
        done.problem := 'moved';
        return done;
    end if;
    if latest.standing_event_id = latest.id then
        standing := latest;
    elsif latest.standing_event_id is not null then
        select * into standing from ledger.chat_memory_events e where e.space_id = here and e.id = latest.standing_event_id;
    end if;
    at := greatest(at, latest.created_at);
    live := standing.id is not null and (standing.expires_at is null or standing.expires_at > at);

    if standing.id is not null and (live or act in ('expire', 'delete')) then
        done.before_id := standing.id;
        done.before_value := standing.new_value_json;
        done.before_source := standing.value_source;
        done.before_assumed := standing.assumed;
        done.before_cap := standing.confidence_cap;
        done.before_turn := standing.turn_index;
        done.before_at := standing.created_at;
        done.before_expires_at := standing.expires_at;
    elsif act in ('correct', 'expire', 'delete') then
        done.problem := 'nothing';
        return done;
    end if;

    -- From here on nothing is refused but a session that became somebody else's this moment.
    if thread.id is not null and thread.distinct_id is null and person is not null then
        update core.sessions s set distinct_id = person
        where s.space_id = here and s.id = thread.id and s.distinct_id is null;
        if not found and person is distinct from (
                select s.distinct_id from core.sessions s where s.space_id = here and s.id = thread.id) then
            done.problem := 'user';
            return done;
        end if;
    end if;
    if act in ('expire', 'delete') then
        value := 'null';
        source := standing.value_source;
        assumption := standing.assumed;
        cap := 'none';
        expires := null;
        done.event_type := case act when 'expire' then 'fact_expired' else 'fact_deleted' end;
        done.stands := false;
    else
        if live and act <> 'restore' and (value, source, assumption, cap)
                is not distinct from (standing.new_value_json, standing.value_source, standing.assumed, standing.confidence_cap)
            and (expires is not distinct from standing.expires_at
                or renewal is not null and standing.expires_at > expires - renewal) then
            done.stands := true;
            return done;
        end if;
        done.stands := not live or act in ('correct', 'restore') or ledger.rank(source) >= ledger.rank(standing.value_source);
        done.event_type := case
            when live and done.stands and standing.assumed and not assumption then 'assumption_corrected'
            when live and done.stands and (act in ('correct', 'restore')
                or not assumption and value is distinct from standing.new_value_json) then 'fact_corrected'
            when assumption then 'assumption_set'
            else 'fact_set'
        end;
    end if;

    done.event_id := nextval('ledger.chat_memory_events_id_seq');
    done.created_at := at;
    done.expires_at := expires;
    insert into ledger.chat_memory_events (space_id, id, session_id, distinct_id, turn_index, event_type, memory_scope,
        memory_namespace, memory_key, old_value_json, new_value_json, value_source, assumed, confidence_cap, correlation_id,
        created_at, expires_at, actor, reason, standing_event_id)
    values (here, done.event_id, thread.uid, person, done.turn_index, done.event_type, scope, namespace, key,
        case when done.stands or act in ('expire', 'delete') then done.before_value end, value, source, assumption, cap,
        correlation, at, expires, who, why,
        case when done.stands then done.event_id when act not in ('expire', 'delete') then standing.id end);

    if done.stands and scope = 'session' then
        insert into ledger.chat_session_memory as m (space_id, id, session_id, memory_namespace, memory_key, value_json,
            value_source, assumed, confidence_cap, source_turn_index, source_event_id, first_set_at, last_updated_at,
            expires_at, created_at, updated_at)
        values (here, done.event_id, thread.uid, namespace, key, value, source, assumption, cap, done.turn_index,
            done.event_id, at, at, expires, at, at)
        on conflict (space_id, session_id, memory_namespace, memory_key) do update set
            id = case when live then m.id else excluded.id end,
            first_set_at = case when live then m.first_set_at else excluded.first_set_at end,
            created_at = case when live then m.created_at else excluded.created_at end,
            value_json = excluded.value_json, value_source = excluded.value_source, assumed = excluded.assumed,
            confidence_cap = excluded.confidence_cap, source_turn_index = excluded.source_turn_index,
            source_event_id = excluded.source_event_id, last_updated_at = excluded.last_updated_at,
            expires_at = excluded.expires_at, updated_at = excluded.updated_at;
    elsif done.stands then
        place := ledger.preference_place(namespace, key);
        insert into ledger.chat_user_preferences as p (space_id, id, distinct_id, preference_namespace, preference_key,
            value_json, value_source, last_session_id, first_set_at, last_updated_at, expires_at, created_at, updated_at,
            assumed, confidence_cap, source_event_id)
        values (here, done.event_id, person, place[1], place[2], value,
            case source when 'assumed' then 'default' else source end, thread.uid, at, at, expires, at, at,
            assumption, cap, done.event_id)
        on conflict (space_id, distinct_id, preference_namespace, preference_key) do update set
            id = case when live then p.id else excluded.id end,
            first_set_at = case when live then p.first_set_at else excluded.first_set_at end,
            created_at = case when live then p.created_at else excluded.created_at end,
            value_json = excluded.value_json, value_source = excluded.value_source,
            last_session_id = excluded.last_session_id, last_updated_at = excluded.last_updated_at,
            expires_at = excluded.expires_at, updated_at = excluded.updated_at, assumed = excluded.assumed,
            confidence_cap = excluded.confidence_cap, source_event_id = excluded.source_event_id;
    elsif act in ('expire', 'delete') and scope = 'session' then
        delete from ledger.chat_session_memory m
        where m.space_id = here and m.session_id = thread.uid and m.memory_namespace = namespace and m.memory_key = key;
    elsif act in ('expire', 'delete') then
        place := ledger.preference_place(namespace, key);
        delete from ledger.chat_user_preferences p
        where p.space_id = here and p.distinct_id = person and p.preference_namespace = place[1]
            and p.preference_key = place[2];
    end if;
    -- What is found of it is filed by the next recall: an append embeds nothing.
    update core.spaces s set unfiled = s.unfiled | 2 where s.id = here and s.unfiled & 2 = 0;
    return done;
end
$$;

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
