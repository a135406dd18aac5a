-- Facts and assumptions: events that are only ever added, and what stands now, which is made from them.
-- Names, checks and indexes are those of "Memory + Review Evidence DB Schema (v1.1)"; space_id is ours.
insert into core.recall_kinds (code, name) values (2, 'ledger');

-- Nobody but this role takes an event out, not even the owner: see ledger.guard_event.
call core.have_role('quipu_eraser');

do $$
begin
    if not pg_has_role('quipu_eraser', 'quipu_app', 'usage') then
        grant quipu_app to quipu_eraser;
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
    foreign key (space_id, session_id) references core.sessions (space_id, uid),
    constraint values_are_readable check (
        not meta @? 'strict $.**{33}' and not meta @? 'strict $.** ? (@ >= 1e4300 || @ <= -1e4300)')
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
    check (event_type not in ('fact_expired', 'fact_deleted') or new_value_json = 'null'::jsonb),
    -- No JSON is kept that a program could not read. Python reads numbers of 4,300 digits, and no JSON of some thousand
    -- levels. No check calls a function, which would be planned again with every row; and what is 33 deep takes 264 bytes
    -- at least, so that for most values nothing is looked at.
    constraint values_are_readable check (
        (pg_column_size(new_value_json) < 264 or not new_value_json @? 'strict $.**{33}')
        and (pg_column_size(old_value_json) < 264 or not old_value_json @? 'strict $.**{33}')),
    constraint numbers_are_readable check (
        not new_value_json @? 'strict $.** ? (@ >= 1e4300 || @ <= -1e4300)'
        and not old_value_json @? 'strict $.** ? (@ >= 1e4300 || @ <= -1e4300)')
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
    foreign key (space_id, source_event_id) references ledger.chat_memory_events (space_id, id) on delete cascade,
    constraint values_are_readable check (
        pg_column_size(value_json) < 264 or not value_json @? 'strict $.**{33}'),
    constraint numbers_are_readable check (
        not value_json @? 'strict $.** ? (@ >= 1e4300 || @ <= -1e4300)')
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
    foreign key (space_id, source_event_id) references ledger.chat_memory_events (space_id, id) on delete cascade,
    constraint values_are_readable check (
        pg_column_size(value_json) < 264 or not value_json @? 'strict $.**{33}'),
    constraint numbers_are_readable check (
        not value_json @? 'strict $.** ? (@ >= 1e4300 || @ <= -1e4300)')
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

call core.keep_in_space('ledger', array['session_details', 'chat_session_memory', 'chat_user_preferences']);
call core.keep_in_space('ledger', array['chat_memory_events'], rights => 'select, insert');
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

-- What is taken out goes from the index in the same statement, also an excerpt that is taken away or changed. The owner
-- may do that for whoever erases; row level security keeps it to the space that was entered.
create function ledger.unindex() returns trigger
    language plpgsql security definer set search_path = ''
    as $$
declare
    here constant integer := core.current_space();
    filed bigint[];
begin
    if lower(tg_op) = 'update' then
        select array_agg(e.id) into filed
        from gone g
        join kept k on k.id = g.id and k.excerpt is distinct from g.excerpt
        join core.recall_entries e on e.space_id = here and e.source_table = tg_table_name and e.source_id = g.id::text;
    else
        select array_agg(e.id) into filed
        from gone g
        join core.recall_entries e on e.space_id = here and e.source_table = tg_table_name and e.source_id = g.id::text;
    end if;
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

create trigger unindex after delete on ledger.chat_memory_events
    referencing old table as gone for each statement execute function ledger.unindex();

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
-- same rule of what stands is written once more in Python, where the projections are made again from the
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
        when memory_namespace = 'preference' and memory_key like 'ui/_%' then array['ui', substr(memory_key, 4)]
        when memory_namespace = 'preference' and memory_key like 'workflow/_%' then array['workflow', substr(memory_key, 10)]
        when memory_namespace = 'other' or starts_with(memory_key, memory_namespace || '.') then array['other', memory_key]
        else array['other', memory_namespace || '.' || memory_key] end;
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

-- Recommendations and the dated evidence behind them, and what the sources did.
-- Names, checks and indexes are those of "Memory + Review Evidence DB Schema (v1.1)"; space_id is ours.
create table ledger.chat_recommendations (
    space_id integer not null default core.current_space() references core.spaces (id) on delete cascade,
    id bigserial,
    session_id uuid not null,
    message_id bigint,
    turn_index integer not null check (turn_index >= 0),
    location_label text not null,
    action text not null,
    time_window text not null,
    confidence text not null check (confidence in ('low', 'medium', 'high')),
    source_name text not null
        check (source_name in ('weather', 'events', 'closures', 'doe', 'reviews', 'system')),
    source_freshness_seconds integer check (source_freshness_seconds >= 0),
    rule_version text not null,
    impact_score numeric(6,2),
    review_backed boolean not null default false,
    evidence_count integer not null default 0 check (evidence_count >= 0),
    recency_window_days smallint check (recency_window_days >= 0),
    explanation_json jsonb not null default '{}'::jsonb,
    meta jsonb not null default '{}'::jsonb,
    created_at timestamptz not null default now(),
    primary key (space_id, id),
    foreign key (space_id, session_id) references core.sessions (space_id, uid),
    foreign key (space_id, message_id) references core.messages (space_id, id) on delete set null (message_id),
    unique (space_id, id, session_id),
    constraint values_are_readable check (
        not explanation_json @? 'strict $.**{33}' and not meta @? 'strict $.**{33}'
        and not explanation_json @? 'strict $.** ? (@ >= 1e4300 || @ <= -1e4300)'
        and not meta @? 'strict $.** ? (@ >= 1e4300 || @ <= -1e4300)'),
    -- NaN is no rating, weight or score.
    constraint figures_are_numbers check (impact_score <> 'NaN')
);
comment on column ledger.chat_recommendations.review_backed is
    'Whether a review is among its evidence. Counted by the database, whatever is inserted.';
comment on column ledger.chat_recommendations.evidence_count is
    'How many pieces of evidence it has. Counted by the database, whatever is inserted.';
comment on column ledger.chat_recommendations.recency_window_days is
    'The fewest days before the recommendation that hold all its reviews; null without any. Counted by the database.';

create index idx_chat_recommendations_session_turn
    on ledger.chat_recommendations (space_id, session_id, turn_index);

create index idx_chat_recommendations_review_backed
    on ledger.chat_recommendations (space_id, review_backed, created_at desc);

create index idx_chat_recommendations_message
    on ledger.chat_recommendations (space_id, message_id) where message_id is not null;

create table ledger.chat_recommendation_evidence (
    space_id integer not null default core.current_space() references core.spaces (id) on delete cascade,
    id bigserial,
    recommendation_id bigint not null,
    session_id uuid not null,
    turn_index integer not null check (turn_index >= 0),
    source_name text not null
        check (source_name in ('reviews', 'events', 'weather', 'closures', 'doe', 'system')),
    entity_type text not null
        check (entity_type in ('own_location', 'competitor', 'system')),
    place_id text,
    review_id_hash text,
    review_publish_at timestamptz,
    review_rating numeric(2,1),
    theme text not null
        check (theme in (
            'wait_time',
            'service_speed',
            'host_queue',
            'kitchen_delay',
            'food_quality',
            'value',
            'other'
        )),
    excerpt text check (char_length(excerpt) <= 160),
    evidence_rank smallint not null default 1
        check (evidence_rank between 1 and 10),
    evidence_weight numeric(6,3),
    meta jsonb not null default '{}'::jsonb,
    created_at timestamptz not null default now(),
    primary key (space_id, id),
    foreign key (space_id, recommendation_id) references ledger.chat_recommendations (space_id, id) on delete cascade,
    foreign key (space_id, session_id) references core.sessions (space_id, uid),
    check (
        (source_name = 'reviews' and place_id is not null and review_publish_at is not null)
        or
        (source_name <> 'reviews')
    ),
    -- Evidence belongs to the session of its recommendation.
    foreign key (space_id, recommendation_id, session_id)
        references ledger.chat_recommendations (space_id, id, session_id) on delete cascade,
    constraint values_are_readable check (
        not meta @? 'strict $.**{33}' and not meta @? 'strict $.** ? (@ >= 1e4300 || @ <= -1e4300)'),
    constraint figures_are_numbers check (
        review_rating <> 'NaN' and evidence_weight <> 'NaN')
);
comment on column ledger.chat_recommendation_evidence.excerpt is 'At most 160 characters: never the whole of a review.';

create index idx_chat_recommendation_evidence_recommendation
    on ledger.chat_recommendation_evidence (space_id, recommendation_id, evidence_rank);

create index idx_chat_recommendation_evidence_session_turn
    on ledger.chat_recommendation_evidence (space_id, session_id, turn_index, created_at desc);

create index idx_chat_recommendation_evidence_place_publish
    on ledger.chat_recommendation_evidence (space_id, place_id, review_publish_at desc);

create trigger unindex after delete on ledger.chat_recommendation_evidence
    referencing old table as gone for each statement execute function ledger.unindex();

create table ledger.chat_competitor_checks (
    space_id integer not null default core.current_space() references core.spaces (id) on delete cascade,
    id bigserial,
    session_id uuid not null,
    turn_index integer not null check (turn_index >= 0),
    query_text text not null,
    resolved_place_id text,
    resolved_name text,
    status text not null
        check (status in ('resolved', 'not_found', 'ambiguous', 'error')),
    latency_ms integer check (latency_ms >= 0),
    created_at timestamptz not null default now(),
    primary key (space_id, id),
    foreign key (space_id, session_id) references core.sessions (space_id, uid)
);

create index idx_chat_competitor_checks_session_turn
    on ledger.chat_competitor_checks (space_id, session_id, turn_index, created_at desc);

create table ledger.chat_review_signal_runs (
    space_id integer not null default core.current_space() references core.spaces (id) on delete cascade,
    id bigserial,
    session_id uuid not null,
    turn_index integer not null check (turn_index >= 0),
    entity_type text not null
        check (entity_type in ('own_location', 'competitor')),
    place_id text not null,
    source_name text not null default 'reviews'
        check (source_name = 'reviews'),
    sample_review_count integer not null default 0 check (sample_review_count >= 0),
    evidence_count integer not null default 0 check (evidence_count >= 0),
    recency_window_days smallint not null check (recency_window_days >= 0),
    themes_detected text[] not null default '{}',
    signal_scores_json jsonb not null default '{}'::jsonb,
    status text not null
        check (status in ('ok', 'error', 'timeout', 'stale')),
    latency_ms integer check (latency_ms >= 0),
    cache_hit boolean not null default false,
    source_freshness_seconds integer check (source_freshness_seconds >= 0),
    error_code text,
    created_at timestamptz not null default now(),
    primary key (space_id, id),
    foreign key (space_id, session_id) references core.sessions (space_id, uid),
    constraint values_are_readable check (
        not signal_scores_json @? 'strict $.**{33}'
        and not signal_scores_json @? 'strict $.** ? (@ >= 1e4300 || @ <= -1e4300)')
);

create index idx_chat_review_signal_runs_session_turn
    on ledger.chat_review_signal_runs (space_id, session_id, turn_index, created_at desc);

create index idx_chat_review_signal_runs_place_created
    on ledger.chat_review_signal_runs (space_id, place_id, created_at desc);

create table ledger.chat_fallbacks (
    space_id integer not null default core.current_space() references core.spaces (id) on delete cascade,
    id bigserial,
    session_id uuid not null,
    turn_index integer not null check (turn_index >= 0),
    fallback_type text not null
        check (fallback_type in ('partial_data', 'all_sources_down', 'timeout', 'validation')),
    reason text not null,
    sources_down text[] not null default '{}',
    response_text text not null,
    created_at timestamptz not null default now(),
    primary key (space_id, id),
    foreign key (space_id, session_id) references core.sessions (space_id, uid)
);

create index idx_chat_fallbacks_session_turn
    on ledger.chat_fallbacks (space_id, session_id, turn_index);

create table ledger.source_runs (
    space_id integer not null default core.current_space() references core.spaces (id) on delete cascade,
    id bigserial,
    source_name text not null
        check (source_name in ('weather', 'events', 'closures', 'doe', 'reviews')),
    run_started_at timestamptz not null,
    run_finished_at timestamptz,
    status text not null check (status in ('ok', 'error', 'partial')),
    items_fetched integer check (items_fetched >= 0),
    latest_record_at timestamptz,
    error_message text,
    primary key (space_id, id),
    check (run_finished_at >= run_started_at)
);

create index idx_source_runs_source_started
    on ledger.source_runs (space_id, source_name, run_started_at desc);

call core.keep_in_space('ledger', array['chat_recommendations', 'chat_recommendation_evidence',
    'chat_competitor_checks', 'chat_review_signal_runs', 'chat_fallbacks', 'source_runs']);
grant usage on all sequences in schema ledger to quipu_app;

-- The record of what was said under the names of "Memory + Review Evidence DB Schema (v1.1)", so that its
-- SQL runs: sessions can be written and deleted through their view, and a deleted one is gone everywhere.
-- Whose a session is: the person it was opened for, else the one user of its messages. Of a session in which several
-- take part, what is known is of none of them alone.
create view ledger.chat_sessions with (security_invoker = true) as
select s.uid as id,
       coalesce(d.started_at, s.started_at, s.created_at) as started_at,
       d.ended_at,
       coalesce(d.status, 'active') as status,
       coalesce(d.card_type, 'none') as card_type,
       coalesce(d.location_count, 0::smallint) as location_count,
       coalesce(d.model, 'unknown') as model,
       coalesce(d.prompt_version, 'unknown') as prompt_version,
       coalesce(d.rule_version, 'unknown') as rule_version,
       coalesce(s.distinct_id, nullif(s.belongs_to, '')) as distinct_id,
       d.trace_id,
       d.first_insight_latency_ms,
       coalesce(d.had_fallback, false) as had_fallback,
       coalesce(d.meta, '{}'::jsonb) as meta,
       s.name
from core.sessions s
left join ledger.session_details d on d.space_id = s.space_id and d.session_id = s.uid;
comment on view ledger.chat_sessions is 'Every session of the record, with what the ledger knows of it; name is the id that the caller gave.';

create view ledger.chat_messages with (security_invoker = true) as
select m.id,
       s.uid as session_id,
       (m.id & 16777215)::integer as message_index,
       (count(*) filter (where m.role = 'user') over (partition by s.uid order by m.id))::integer as turn_index,
       m.role,
       m.content as content_text,
       null::jsonb as content_json,
       m.redacted > 0 as pii_redacted,
       null::integer as input_tokens,
       null::integer as output_tokens,
       null::integer as latency_ms,
       m.recorded_at as created_at
from core.messages m
join core.sessions s on s.space_id = m.space_id and s.id = m.session_id;
comment on view ledger.chat_messages is 'What was said in sessions; a turn begins with a message of the user.';

create view ledger.chat_tool_calls with (security_invoker = true) as
select c.id, s.uid as session_id, c.message_id, c.turn_index, c.tool_name, c.source_name, c.args_json, c.result_json,
       c.status, c.latency_ms, c.cache_hit, c.source_freshness_seconds, c.error_code, c.created_at
from core.tool_calls c
join core.sessions s on s.space_id = c.space_id and s.id = c.session_id
where c.source_name in ('geocode', 'weather', 'events', 'closures', 'doe', 'reviews', 'memory');
comment on view ledger.chat_tool_calls is 'The tools that asked one of the sources that the ledger knows.';

grant select, insert, update, delete on ledger.chat_sessions to quipu_app;
grant select on ledger.chat_messages, ledger.chat_tool_calls to quipu_app;

create function ledger.write_session() returns trigger
    language plpgsql
    as $$
declare
    -- What the view shows as the start may be the time of the first message, which is not to be told again.
    told constant timestamptz := case when lower(tg_op) = 'insert' or new.started_at is distinct from old.started_at
        then new.started_at end;
begin
    if lower(tg_op) = 'update' and (new.id is distinct from old.id or new.name is distinct from old.name) then
        raise invalid_parameter_value using message = 'the id and the name of a session cannot be changed';
    end if;
    if lower(tg_op) = 'insert' then
        new.name := coalesce(new.name, new.id::text, gen_random_uuid()::text);
        insert into core.sessions (space_id, name, distinct_id)
        values (core.current_space(), new.name, new.distinct_id)
        returning uid into new.id;
    elsif new.distinct_id is distinct from old.distinct_id then
        update core.sessions set distinct_id = new.distinct_id
        where space_id = core.current_space() and uid = new.id
            and (new.distinct_id is null or coalesce(belongs_to, new.distinct_id) = new.distinct_id);
        if not found then
            raise invalid_parameter_value using message = format('the session %s is somebody else''s', new.name);
        end if;
    end if;
    new.status := coalesce(new.status, 'active');
    new.card_type := coalesce(new.card_type, 'none');
    new.location_count := coalesce(new.location_count, 0);
    new.model := coalesce(new.model, 'unknown');
    new.prompt_version := coalesce(new.prompt_version, 'unknown');
    new.rule_version := coalesce(new.rule_version, 'unknown');
    new.had_fallback := coalesce(new.had_fallback, false);
    new.meta := coalesce(new.meta, '{}'::jsonb);
    insert into ledger.session_details as d (session_id, started_at, ended_at, status, card_type, location_count, model,
        prompt_version, rule_version, trace_id, first_insight_latency_ms, had_fallback, meta)
    values (new.id, told, new.ended_at, new.status, new.card_type, new.location_count, new.model,
        new.prompt_version, new.rule_version, new.trace_id, new.first_insight_latency_ms, new.had_fallback, new.meta)
    on conflict (space_id, session_id) do update set
        started_at = coalesce(excluded.started_at, d.started_at),
        ended_at = excluded.ended_at, status = excluded.status, card_type = excluded.card_type,
        location_count = excluded.location_count, model = excluded.model, prompt_version = excluded.prompt_version,
        rule_version = excluded.rule_version, trace_id = excluded.trace_id,
        first_insight_latency_ms = excluded.first_insight_latency_ms, had_fallback = excluded.had_fallback,
        meta = excluded.meta;
    return new;
end
$$;

create trigger write_session instead of insert or update on ledger.chat_sessions
    for each row execute function ledger.write_session();

-- A session of a person in which others spoke stays with what these said, and with the tools that were used for them.
create function ledger.erase_sessions(gone uuid[]) returns void
    language plpgsql volatile
    as $$
declare
    here constant integer := core.current_space();
begin
    perform ledger.erase_events_of_sessions(gone);
    delete from ledger.chat_session_memory where space_id = here and session_id = any(gone);
    update ledger.chat_user_preferences set last_session_id = null
    where space_id = here and last_session_id = any(gone);
    delete from ledger.chat_recommendation_evidence where space_id = here and session_id = any(gone);
    delete from ledger.chat_recommendations where space_id = here and session_id = any(gone);
    delete from ledger.chat_competitor_checks where space_id = here and session_id = any(gone);
    delete from ledger.chat_review_signal_runs where space_id = here and session_id = any(gone);
    delete from ledger.chat_fallbacks where space_id = here and session_id = any(gone);
    -- The call of a message of somebody else goes with that message, if it goes.
    delete from core.tool_calls c using core.sessions s
    where c.space_id = here and s.space_id = here and s.id = c.session_id and s.uid = any(gone)
        and not exists (
            select from core.messages m
            where m.space_id = here and m.id = c.message_id and m.user_name <> coalesce(s.distinct_id, s.belongs_to));
    delete from ledger.session_details where space_id = here and session_id = any(gone);
end
$$;
comment on function ledger.erase_sessions(uuid[]) is
    'Erases all that the ledger knows of sessions of the space that was entered; what was said in them stays.';

create function ledger.delete_session() returns trigger
    language plpgsql
    as $$
declare
    here constant integer := core.current_space();
    thread constant bigint := (select id from core.sessions where space_id = here and uid = old.id);
    said bigint[];
begin
    -- Nobody writes to the space meanwhile, as in every erasure.
    perform pg_advisory_xact_lock(hashtextextended(current_setting('quipu.space'), 7310522003));
    perform ledger.erase_sessions(array[old.id]);
    with removed as (
        delete from core.messages
        where space_id = here and id between thread << 24 and (thread << 24) + 16777215
        returning id
    )
    select array_agg(id) into said from removed;
    delete from core.sessions where space_id = here and id = thread;
    if said is not null then
        perform core.take_out(said), core.recount_space();
    end if;
    return old;
end
$$;

create trigger delete_session instead of delete on ledger.chat_sessions
    for each row execute function ledger.delete_session();

-- What a recommendation says of its evidence is counted by the database, so that it cannot be wrong: nobody writes the
-- three columns but ledger.count_evidence.
revoke update on ledger.chat_recommendations from quipu_app;

grant update (message_id, turn_index, location_label, action, time_window, confidence, source_name,
    source_freshness_seconds, rule_version, impact_score, explanation_json, meta)
    on ledger.chat_recommendations to quipu_app;

create function ledger.begin_without_evidence() returns trigger
    language plpgsql
    as $$
begin
    new.review_backed := false;
    new.evidence_count := 0;
    new.recency_window_days := null;
    return new;
end
$$;

create trigger begin_without_evidence before insert on ledger.chat_recommendations
    for each row execute function ledger.begin_without_evidence();

-- Recommendations are locked in the order of their ids: two that add evidence to the same wait for each other.
create function ledger.count_evidence(recommendations bigint[]) returns void
    language sql volatile security definer set search_path = ''
    as $$
    select from ledger.chat_recommendations
    where space_id = core.current_space() and id = any(recommendations)
    order by id for no key update;
    update ledger.chat_recommendations r set (review_backed, evidence_count, recency_window_days) = (
        select oldest_at is not null, pieces,
               case when oldest_at is not null
                   then least(32767, ceil(greatest(0, extract(epoch from r.created_at - oldest_at)) / 86400)) end
        from (
            select count(*) as pieces, min(review_publish_at) filter (where source_name = 'reviews') as oldest_at
            from ledger.chat_recommendation_evidence
            where space_id = r.space_id and recommendation_id = r.id
        ) e
    )
    where r.space_id = core.current_space() and r.id = any(recommendations)
    $$;

revoke execute on function ledger.count_evidence(bigint[]) from public;

create function ledger.evidence_changed() returns trigger
    language plpgsql security definer set search_path = ''
    as $$
begin
    perform ledger.count_evidence(array(select distinct recommendation_id from changed));
    return null;
end
$$;

create function ledger.evidence_moved() returns trigger
    language plpgsql security definer set search_path = ''
    as $$
begin
    perform ledger.count_evidence(array(
        select recommendation_id from before union select recommendation_id from after));
    return null;
end
$$;

create trigger evidence_added after insert on ledger.chat_recommendation_evidence
    referencing new table as changed for each statement execute function ledger.evidence_changed();

create trigger evidence_taken after delete on ledger.chat_recommendation_evidence
    referencing old table as changed for each statement execute function ledger.evidence_changed();

create trigger evidence_moved after update on ledger.chat_recommendation_evidence
    referencing old table as before new table as after for each statement execute function ledger.evidence_moved();

-- Questions about how the agent works, answered by counting: no view reads what was said, found or answered.
-- Days are days of UTC. Each view shows the space that was entered.
create view ledger.evidence_coverage with (security_invoker = true) as
select space_id,
       (created_at at time zone 'UTC')::date as day,
       source_name,
       rule_version,
       count(*) as recommendations,
       count(*) filter (where evidence_count > 0) as with_evidence,
       count(*) filter (where review_backed) as review_backed,
       sum(evidence_count) as evidence,
       count(*) filter (where confidence = 'high') as high,
       count(*) filter (where confidence = 'medium') as medium,
       count(*) filter (where confidence = 'low') as low,
       round(avg((evidence_count > 0)::int), 3) as coverage
from ledger.chat_recommendations
group by space_id, day, source_name, rule_version;
comment on view ledger.evidence_coverage is
    'Recommendations by day, source and rules; coverage is the share of those that have evidence.';

create view ledger.evidence_recency with (security_invoker = true) as
select e.space_id,
       (r.created_at at time zone 'UTC')::date as day,
       e.entity_type,
       e.place_id,
       e.theme,
       count(*) as reviews,
       min(e.review_publish_at) as oldest_at,
       max(e.review_publish_at) as newest_at,
       round((percentile_cont(0.5) within group (
           order by extract(epoch from r.created_at - e.review_publish_at)) / 86400)::numeric, 1) as median_age_days
from ledger.chat_recommendation_evidence e
join ledger.chat_recommendations r on r.space_id = e.space_id and r.id = e.recommendation_id
where e.source_name = 'reviews'
group by e.space_id, day, e.entity_type, e.place_id, e.theme;
comment on view ledger.evidence_recency is 'How old reviews were when a recommendation was made of them.';

create view ledger.assumption_friction with (security_invoker = true) as
select e.space_id,
       (e.created_at at time zone 'UTC')::date as day,
       e.memory_scope,
       t.assumption_type,
       count(*) filter (where e.event_type = 'assumption_set') as assumed,
       count(*) filter (where t.corrected) as corrected,
       count(*) filter (where e.event_type = 'assumption_corrected' and not t.corrected) as confirmed,
       round(count(*) filter (where t.corrected)::numeric
           / nullif(count(*) filter (where e.event_type = 'assumption_set'), 0), 3) as friction
from ledger.chat_memory_events e
cross join lateral (
    select case
               when e.memory_key in ('baseline.scope', 'baseline.default_scope') then 'baseline_scope'
               when e.memory_namespace = 'baseline' then 'baseline_value'
               when e.memory_namespace = 'location' then 'location_mapping'
               when e.memory_key like '%time_window%' then 'time_window'
               else e.memory_namespace
           end as assumption_type,
           e.event_type = 'assumption_corrected' and e.new_value_json is distinct from e.old_value_json as corrected
) t
where e.event_type in ('assumption_set', 'assumption_corrected')
group by e.space_id, day, e.memory_scope, t.assumption_type;
comment on view ledger.assumption_friction is
    'Corrections for each assumption made; one that was found right is confirmed, not corrected.';

create view ledger.source_reliability with (security_invoker = true) as
select space_id,
       (at at time zone 'UTC')::date as day,
       source_name,
       asked_by,
       count(*) as runs,
       count(*) filter (where status = 'ok') as ok,
       count(*) filter (where status = 'stale') as stale,
       count(*) filter (where status = 'error') as error,
       count(*) filter (where status = 'timeout') as timeout,
       count(*) filter (where cache_hit) as cache_hits,
       percentile_disc(0.5) within group (order by latency_ms) as p50_latency_ms,
       percentile_disc(0.95) within group (order by latency_ms) as p95_latency_ms,
       round(avg((status = 'ok')::int), 3) as reliability
from (
    select space_id, created_at as at, source_name, 'tool_call' as asked_by, status, cache_hit, latency_ms::bigint
    from core.tool_calls
    where source_name is not null
    union all
    select space_id, created_at, source_name, 'signal_run', status, cache_hit, latency_ms
    from ledger.chat_review_signal_runs
    union all
    select space_id, run_started_at, source_name, 'source_run', case status when 'partial' then 'stale' else status end,
           false, (extract(epoch from run_finished_at - run_started_at) * 1000)::bigint
    from ledger.source_runs
) r
group by space_id, day, source_name, asked_by;
comment on view ledger.source_reliability is
    'How sources answered, by day and by what asked them: a tool call, a reading of reviews, or a run that fetches ahead.';

create view ledger.source_recency with (security_invoker = true) as
select r.space_id,
       r.source_name,
       max(r.at) as asked_at,
       max(r.at) filter (where r.status = 'ok') as answered_at,
       max(r.record_at) as latest_record_at,
       s.stale_after_seconds,
       coalesce(now() - max(r.record_at) > s.stale_after_seconds * interval '1 second', true) as stale
from (
    select space_id, created_at as at, source_name, status,
           case when status in ('ok', 'stale')
               then created_at - coalesce(source_freshness_seconds, 0) * interval '1 second' end as record_at
    from core.tool_calls
    where source_name is not null
    union all
    select space_id, created_at, source_name, status,
           case when status in ('ok', 'stale')
               then created_at - coalesce(source_freshness_seconds, 0) * interval '1 second' end
    from ledger.chat_review_signal_runs
    union all
    select space_id, run_started_at, source_name, status,
           case when status <> 'error' then coalesce(latest_record_at, run_finished_at) end
    from ledger.source_runs
) r
join (
    values ('weather', 21600), ('events', 86400), ('closures', 43200), ('reviews', 259200), ('doe', 604800)
) s (source_name, stale_after_seconds) on s.source_name = r.source_name
group by r.space_id, r.source_name, s.stale_after_seconds;
comment on view ledger.source_recency is 'How old the latest that each source gave is now, and whether that is too old.';

create view ledger.first_insight with (security_invoker = true) as
select s.space_id,
       (coalesce(d.started_at, s.started_at, s.created_at) at time zone 'UTC')::date as day,
       count(*) as sessions,
       count(*) filter (where d.had_fallback) as with_fallback,
       round(avg(d.had_fallback::int), 3) as fallback_rate,
       percentile_disc(0.5) within group (order by d.first_insight_latency_ms) as p50_latency_ms,
       percentile_disc(0.95) within group (order by d.first_insight_latency_ms) as p95_latency_ms
from core.sessions s
join ledger.session_details d on d.space_id = s.space_id and d.session_id = s.uid
group by s.space_id, day;
comment on view ledger.first_insight is 'How soon sessions had a first answer worth having, and how many fell back.';

grant select on ledger.evidence_coverage, ledger.evidence_recency, ledger.assumption_friction,
    ledger.source_reliability, ledger.source_recency, ledger.first_insight to quipu_app;

-- Events have no foreign key to their space, which each of them would have to lock; so the space looks itself.
create function ledger.guard_space() returns trigger
    language plpgsql
    as $$
begin
    if exists (select from ledger.chat_memory_events where space_id = old.id) then
        raise foreign_key_violation using
            message = format('the space %s has events in ledger.chat_memory_events', old.name),
            hint = 'An erasure of the space takes them out first.';
    end if;
    return old;
end
$$;

create trigger guard_space before delete on core.spaces
    for each row execute function ledger.guard_space();

-- How far the index of recall has followed: a recall after a write then costs what was written, not what stands.
create table ledger.filing_marks (
    space_id integer not null default core.current_space() references core.spaces (id) on delete cascade,
    event_id bigint not null default 0,
    evidence_id bigint not null default 0,
    expired_until timestamptz not null default '-infinity',
    primary key (space_id)
);
comment on table ledger.filing_marks is 'The index knows what stood after the event of that number.';
comment on column ledger.filing_marks.expired_until is 'What expired until then is out of the index.';

call core.keep_in_space('ledger', array['filing_marks']);

create trigger unindex_excerpts after update on ledger.chat_recommendation_evidence
    referencing old table as gone new table as kept for each statement execute function ledger.unindex();

-- What of the ledger belongs to one person (see core.current_person): events and preferences that name them, and what
-- hangs from a session that is theirs. How sources of the operator ran, and how far the index has read, is nobody's.
create policy person on ledger.chat_memory_events as restrictive to quipu_person
    using (distinct_id = (select core.current_person())
        or distinct_id is null and session_id in (
            select s.uid from core.sessions s where s.space_id = (select core.current_space())));

create policy person on ledger.chat_user_preferences as restrictive to quipu_person
    using (distinct_id = (select core.current_person()));

call core.show_with_session('ledger', array['chat_session_memory', 'session_details', 'chat_recommendations',
    'chat_recommendation_evidence', 'chat_competitor_checks', 'chat_fallbacks', 'chat_review_signal_runs'], 'uid');

grant usage on schema ledger to quipu_person;
grant select, insert on ledger.chat_memory_events to quipu_person;
grant select, insert, update, delete on ledger.chat_user_preferences, ledger.chat_session_memory to quipu_person;

grant select, insert, update on ledger.session_details, ledger.chat_competitor_checks, ledger.chat_fallbacks,
    ledger.chat_review_signal_runs, ledger.chat_recommendation_evidence, ledger.chat_sessions to quipu_person;

grant select, insert on ledger.chat_recommendations to quipu_person;

grant select on ledger.assumption_friction, ledger.chat_messages, ledger.chat_tool_calls, ledger.evidence_coverage,
    ledger.evidence_recency, ledger.first_insight to quipu_person;

grant usage on all sequences in schema ledger to quipu_person;

-- A default is an assumption: whoever writes one, it is marked as such and caps what is concluded from it.
create function ledger.mark_assumption() returns trigger
    language plpgsql
    as $$
begin
    new.assumed := true;
    if new.confidence_cap = 'none' then
        new.confidence_cap := 'medium';
    end if;
    return new;
end
$$;
comment on function ledger.mark_assumption() is 'Where a default is used, assumed is true and there is a cap.';

create trigger mark_assumption before insert on ledger.chat_memory_events
    for each row when (new.value_source in ('assumed', 'default') and new.event_type not in ('fact_expired', 'fact_deleted')
        and (not new.assumed or new.confidence_cap = 'none'))
    execute function ledger.mark_assumption();

create trigger mark_assumption before insert or update on ledger.chat_session_memory
    for each row when (new.value_source in ('assumed', 'default') and (not new.assumed or new.confidence_cap = 'none'))
    execute function ledger.mark_assumption();

create trigger mark_assumption before insert or update on ledger.chat_user_preferences
    for each row when (new.value_source in ('assumed', 'default') and (not new.assumed or new.confidence_cap = 'none'))
    execute function ledger.mark_assumption();

create function ledger.users_of(session core.sessions) returns text
    language sql stable
    as $$
    select string_agg(user_name, ', ' order by user_name)
    from (
        select distinct m.user_name from core.messages m
        where m.space_id = session.space_id and m.id between session.id << 24 and (session.id << 24) + 16777215
            and m.user_name is not null
        order by m.user_name limit 10
    ) u
    $$;
comment on function ledger.users_of(core.sessions) is 'Who takes part in a session, ten of them at most.';

-- What is written by SQL is a fact like any other: it has its event, and the next recall files it. It holds no door out
-- of the space and is waited for by no recall: it leaves the index behind (core.leave_unindexed), which moves its marks
-- only when no such transaction is open.
create function ledger.follow(event bigint, evidence bigint) returns void
    language plpgsql volatile security definer set search_path = ''
    as $$
declare
    here constant integer := core.entered();
begin
    perform core.leave_unindexed(2, here);
    update ledger.filing_marks m set event_id = least(m.event_id, event - 1), evidence_id = least(m.evidence_id, evidence - 1)
    where m.space_id = here and (m.event_id >= event or m.evidence_id >= evidence);
end
$$;
comment on function ledger.follow(bigint, bigint) is
    'Has the next recall look at an event or a piece of evidence, and at all that came after it; null: at none.';

create function ledger.follow_value() returns trigger
    language plpgsql security definer set search_path = ''
    as $$
begin
    perform ledger.follow(new.source_event_id, null);
    return null;
end
$$;

create function ledger.follow_excerpt() returns trigger
    language plpgsql security definer set search_path = ''
    as $$
begin
    perform ledger.follow(null, new.id);
    return null;
end
$$;

create function ledger.follow_all() returns trigger
    language plpgsql security definer set search_path = ''
    as $$
begin
    delete from ledger.filing_marks where space_id = core.current_space();
    perform ledger.follow(null, null);
    return null;
end
$$;

-- What SQL upserts is one event with what stood before, and a preference that has its namespace beside its key has
-- events. An insert is told of when it is done: where it meets a row, it comes to nothing or is an update.
create function ledger.tell_of_value() returns trigger
    language plpgsql
    as $$
declare
    before ledger.chat_session_memory;
    event bigint;
begin
    if lower(tg_op) = 'update' then
        if (old.session_id, old.memory_namespace, old.memory_key)
            is distinct from (new.session_id, new.memory_namespace, new.memory_key) then
            perform ledger.tell_end(old.source_event_id, old.value_json, old.expires_at);
        else
            before := old;
        end if;
    end if;
    event := ledger.tell_of(new.session_id,
        (select coalesce(s.distinct_id, nullif(s.belongs_to, '')) from core.sessions s
         where s.space_id = new.space_id and s.uid = new.session_id),
        new.source_turn_index, 'session', new.memory_namespace, new.memory_key, new.value_json, new.value_source,
        new.assumed, new.confidence_cap, new.expires_at, before.value_json, before.assumed, before.source_event_id);
    if lower(tg_op) = 'insert' then
        update ledger.chat_session_memory set source_event_id = event where space_id = new.space_id and id = new.id;
    end if;
    new.source_event_id := event;
    return new;
end
$$;

create function ledger.tell_of_preference() returns trigger
    language plpgsql
    as $$
declare
    first constant text := split_part(new.preference_key, '.', 1);
    namespace constant text := case
        when new.preference_namespace = 'baseline' then 'baseline'
        when new.preference_namespace <> 'other' then 'preference'
        when first <> new.preference_key and first in ('location', 'preference', 'constraint', 'system') then first
        else 'other' end;
    key constant text := case
        when namespace = 'preference' and not starts_with(new.preference_key, new.preference_namespace || '.')
            then new.preference_namespace || '/' || new.preference_key
        else new.preference_key end;
    before ledger.chat_user_preferences;
    event bigint;
begin
    if lower(tg_op) = 'update' then
        if (old.distinct_id, old.preference_namespace, old.preference_key)
            is distinct from (new.distinct_id, new.preference_namespace, new.preference_key) then
            perform ledger.tell_end(old.source_event_id, old.value_json, old.expires_at);
        else
            before := old;
        end if;
    end if;
    if ledger.preference_place(namespace, key) = array[new.preference_namespace, new.preference_key] then
        event := ledger.tell_of(new.last_session_id, new.distinct_id, 0, 'cross_session', namespace, key, new.value_json,
            new.value_source, new.assumed, new.confidence_cap, new.expires_at, before.value_json, before.assumed,
            before.source_event_id);
    end if;  -- else no event could say so
    if lower(tg_op) = 'insert' and event is not null then
        update ledger.chat_user_preferences set source_event_id = event where space_id = new.space_id and id = new.id;
    end if;
    new.source_event_id := event;
    return new;
end
$$;

create trigger tell_again before update on ledger.chat_session_memory
    for each row when (new.source_event_id is null or new.source_event_id = old.source_event_id
        and (new.session_id, new.memory_namespace, new.memory_key, new.value_json, new.value_source,
                new.assumed, new.confidence_cap, new.expires_at)
            is distinct from (old.session_id, old.memory_namespace, old.memory_key, old.value_json,
                old.value_source, old.assumed, old.confidence_cap, old.expires_at))
    execute function ledger.tell_of_value();

create trigger tell_again before update on ledger.chat_user_preferences
    for each row when (new.source_event_id is null or new.source_event_id = old.source_event_id
        and (new.distinct_id, new.preference_namespace, new.preference_key, new.value_json,
                new.value_source, new.assumed, new.confidence_cap, new.expires_at)
            is distinct from (old.distinct_id, old.preference_namespace, old.preference_key,
                old.value_json, old.value_source, old.assumed, old.confidence_cap,
                old.expires_at))
    execute function ledger.tell_of_preference();

-- ledger.append gives a new row the number of its event, and marks the space itself.
create trigger follow after insert on ledger.chat_session_memory
    for each row when (new.id <> new.source_event_id) execute function ledger.follow_value();

-- ledger.append names the event that it has just written, and marks the space itself.
create trigger follow_again after update on ledger.chat_session_memory
    for each row when (new.source_event_id is distinct from old.source_event_id
        and new.source_event_id::text is distinct from current_setting('quipu.appended', true))
    execute function ledger.follow_value();

create trigger follow after insert on ledger.chat_user_preferences
    for each row when (new.id <> new.source_event_id) execute function ledger.follow_value();

create trigger follow_again after update on ledger.chat_user_preferences
    for each row when (new.source_event_id is distinct from old.source_event_id
        and new.source_event_id::text is distinct from current_setting('quipu.appended', true))
    execute function ledger.follow_value();

create trigger follow_purge after delete on ledger.chat_session_memory
    for each row when (old.expires_at <= now()) execute function ledger.follow_all();

create trigger follow_purge after delete on ledger.chat_user_preferences
    for each row when (old.expires_at <= now()) execute function ledger.follow_all();

create trigger follow after insert on ledger.chat_recommendation_evidence
    for each row when (new.excerpt is not null) execute function ledger.follow_excerpt();

create trigger follow_again after update on ledger.chat_recommendation_evidence
    for each row when (new.excerpt is distinct from old.excerpt) execute function ledger.follow_excerpt();

revoke execute on function ledger.follow(bigint, bigint) from public;

-- What SQL writes to ledger.chat_sessions is there afterwards, or was refused.
create trigger written instead of insert or update on ledger.chat_sessions
    for each row execute function core.refuse_unwritten('id',
        'id and name are what the session is known by; whose it is and when it began may follow from what was said.', '');

-- Rows that are written by hand ask for their space (see core.entered).
select core.ask_for_space_in('ledger');

-- What the values of a key look like is known to every program that opens the database, not to the one alone that
-- registered the key.
create table ledger.shapes (
    space_id integer not null default core.entered() references core.spaces (id) on delete cascade,
    pattern text not null check (char_length(pattern) between 1 and 200),
    namespace text not null
        check (namespace in ('baseline', 'location', 'preference', 'constraint', 'system', 'other')),
    scope text check (scope in ('session', 'cross_session')),
    shape jsonb not null check (jsonb_typeof(shape) = 'object'),
    version bigserial,
    registered_at timestamptz not null default now(),
    primary key (space_id, pattern),
    unique (space_id, version),
    constraint values_are_readable check (
        pg_column_size(shape) < 264 or not shape @? 'strict $.**{33}'),
    constraint numbers_are_readable check (
        not shape @? 'strict $.** ? (@ >= 1e4300 || @ <= -1e4300)')
);
comment on table ledger.shapes is 'The keys that programs registered, and the shapes of their values.';
comment on column ledger.shapes.pattern is 'A key, or one with placeholders: baseline.foh.{locationLabel}.{daypart}.';
comment on column ledger.shapes.scope is 'Null: as the caller says.';
comment on column ledger.shapes.shape is 'JSON Schema.';
comment on column ledger.shapes.version is 'Higher than all before, whenever the row is written.';

call core.keep_in_space('ledger', array['shapes'], rights => null);

grant select, insert, update on ledger.shapes to quipu_app, quipu_person;
grant usage on sequence ledger.shapes_version_seq to quipu_app, quipu_person;

-- One registers at a time, and knows all that others registered before.
create function ledger.keep_shape(space text, pattern text, namespace text, scope text, shape jsonb, at timestamptz,
    shapes_known bigint) returns bigint
    language plpgsql volatile
    as $$
#variable_conflict use_column
declare
    here integer;
    kept bigint;
begin
    perform pg_advisory_xact_lock_shared(hashtextextended(space, 7310522003));
    here := (core.enter(space)).id;
    if here is null then
        insert into core.spaces (name) values (space) on conflict do nothing;
        here := (core.enter(space)).id;
    end if;
    perform pg_advisory_xact_lock(hashtextextended(here::text, 7310522014));
    if shapes_known <> coalesce(
            (select s.version from ledger.shapes s where s.space_id = here order by s.version desc limit 1), 0) then
        return null;
    end if;
    insert into ledger.shapes as s (space_id, pattern, namespace, scope, shape, registered_at)
    values (here, pattern, namespace, scope, shape, at)
    on conflict (space_id, pattern) do update set
        namespace = excluded.namespace, scope = excluded.scope, shape = excluded.shape, version = excluded.version,
        registered_at = excluded.registered_at
    returning s.version into kept;
    return kept;
end
$$;
comment on function ledger.keep_shape(text, text, text, text, jsonb, timestamptz, bigint) is
    'The new version of the shapes of a space; null where they are not those any more that the caller knows.';

create function ledger.append(
    space text, act text, scope text, session text, person text, namespace text, key text, value jsonb, source text,
    assumption boolean, cap text, turn integer, at timestamptz, expires timestamptz, renewal interval, correlation text,
    who text, why text, latest_known bigint, shapes_known bigint default null
) returns ledger.appended
    language plpgsql volatile
    as $$
#variable_conflict use_column
declare
    here integer;
    thread core.sessions;
    whose text;  -- of the session; empty where several take part
    latest ledger.chat_memory_events;
    standing ledger.chat_memory_events;
    live boolean;
    place text[];
    done ledger.appended;
begin
    perform pg_advisory_xact_lock_shared(hashtextextended(space, 7310522003));
    here := (core.enter(space)).id;
    if shapes_known <> coalesce(
            (select s.version from ledger.shapes s where s.space_id = here order by s.version desc limit 1), 0) then
        done.problem := 'shapes';
        return done;
    end if;
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
        whose := coalesce(thread.distinct_id, thread.belongs_to);
        if whose = '' and scope = 'session' and person is not null then
            done.problem := 'several';
            done.detail := ledger.users_of(thread);
            return done;
        elsif whose <> '' and person <> whose then
            done.problem := 'user';
            return done;
        end if;
        person := coalesce(nullif(whose, ''), person);
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
    if thread.id is not null and whose is null and person is not null then
        update core.sessions s set distinct_id = person
        where s.space_id = here and s.id = thread.id and s.distinct_id is null and coalesce(s.belongs_to, person) = person;
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

    perform set_config('quipu.appended', done.event_id::text, true);
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
    update core.spaces s set unindexed = s.unindexed | 2 where s.id = here and s.unindexed & 2 = 0;
    return done;
end
$$;

-- A session has one name: its id is that name, or is made from it.
create function ledger.refuse_two_names() returns trigger
    language plpgsql
    as $$
begin
    if new.id::text <> new.name then
        raise feature_not_supported using
            message = 'id and name of ledger.chat_sessions cannot be chosen both',
            hint = 'The id follows from the name. Give one of them; a name that is a uuid is the id as well.';
    end if;
    return new;
end
$$;

create trigger named_once instead of insert on ledger.chat_sessions
    for each row execute function ledger.refuse_two_names();

-- An assumption ends with its source: SQL that says so may not know the flag, which it did not set either.
create function ledger.unmark_assumption() returns trigger
    language plpgsql
    as $$
begin
    new.assumed := false;
    if new.confidence_cap = old.confidence_cap then
        new.confidence_cap := 'none';
    end if;
    return new;
end
$$;
comment on function ledger.unmark_assumption() is 'Where something is said in the place of an assumption, it is none.';

-- Triggers fire in the order of their names: it is told after that.
create trigger mark_no_assumption before update on ledger.chat_session_memory
    for each row when (new.assumed and old.value_source in ('assumed', 'default')
        and new.value_source in ('explicit', 'inferred'))
    execute function ledger.unmark_assumption();

create trigger mark_no_assumption before update on ledger.chat_user_preferences
    for each row when (new.assumed and old.value_source = 'default' and new.value_source in ('explicit', 'inferred'))
    execute function ledger.unmark_assumption();

-- What the views of messages, tool calls and figures do not take is refused in our words: how their rows come and go.
-- The rights let the statement come as far as that.
create trigger refused instead of insert or update or delete on ledger.chat_messages
    for each row execute function core.refuse_statement(
        'Messages come by observe(), and go by forget(message=…, confirm=True).');

create trigger refused instead of insert or update or delete on ledger.chat_tool_calls
    for each row execute function core.refuse_statement(
        'Tool calls come by observe(), with the message that made them, and go with it by forget(message=…, confirm=True).');

grant insert, update, delete on ledger.chat_messages, ledger.chat_tool_calls to quipu_app;

do $$
declare
    figures text;
begin
    foreach figures in array '{evidence_coverage,evidence_recency,assumption_friction,source_reliability,source_recency,
        first_insight}'::text[]
    loop
        execute format(
            'create trigger refused instead of insert or update or delete on ledger.%I'
            ' for each row execute function core.refuse_statement(%L)', figures,
            'These figures are computed from sessions, tool calls, recommendations and assumptions: change those.');
        execute format('grant insert, update, delete on ledger.%I to quipu_app', figures);
    end loop;
end
$$;

-- What stands follows from the events, whatever SQL does to it: a fact that it deletes, moves to another key, session or
-- person, caps, or has expire at another time has its event, and two who write a new key at once have one each, of what
-- came of it. Without them recall and histories told what stood before, and a rebuild brought it back.

-- By number, as a rebuild reads them. The sum keeps the server from walking through the events of all keys for it.
create function ledger.latest_of(scope text, session_id uuid, distinct_id text, namespace text, key text)
    returns ledger.chat_memory_events
    language plpgsql stable
    as $$
#variable_conflict use_column
declare
    latest ledger.chat_memory_events;
begin
    if scope = 'session' then
        select * into latest from ledger.chat_memory_events e
        where e.space_id = core.current_space() and e.memory_scope = 'session' and e.session_id = latest_of.session_id
            and e.memory_namespace = namespace and e.memory_key = key
        order by e.id + 0 desc limit 1;
    else
        select * into latest from ledger.chat_memory_events e
        where e.space_id = core.current_space() and e.memory_scope = 'cross_session'
            and e.distinct_id = latest_of.distinct_id and e.memory_namespace = namespace and e.memory_key = key
        order by e.id + 0 desc limit 1;
    end if;
    return latest;
end
$$;
comment on function ledger.latest_of(text, uuid, text, text, text) is 'The last event of a key.';

create function ledger.tell_of(session_id uuid, distinct_id text, turn integer, scope text, namespace text, key text,
    value jsonb, source text, assumed boolean, cap text, expires timestamptz, before jsonb, assumed_before boolean,
    told bigint)
    returns bigint
    language plpgsql volatile
    as $$
#variable_conflict use_column
declare
    here constant integer := core.entered();
    said ledger.chat_memory_events;
    id bigint;
begin
    perform core.leave_unindexed(2, here);
    said := ledger.latest_of(scope, session_id, distinct_id, namespace, key);
    if said.event_type in ('fact_expired', 'fact_deleted') then
        said.value_source := null;
    end if;
    if scope = 'cross_session' and source = 'default' and said.value_source = 'assumed' then
        source := 'assumed';  -- preferences know no other word for it
    end if;
    if said.new_value_json = value and said.assumed = tell_of.assumed and said.value_source = source
        and (said.id is distinct from told
            or (said.confidence_cap, said.expires_at) is not distinct from (cap, expires)) then
        return said.id;
    end if;
    insert into ledger.chat_memory_events (session_id, distinct_id, turn_index, event_type, memory_scope, memory_namespace,
        memory_key, old_value_json, new_value_json, value_source, assumed, confidence_cap, created_at, expires_at)
    values (tell_of.session_id, tell_of.distinct_id, turn,
        case when assumed_before and not tell_of.assumed then 'assumption_corrected'
             when before is not null and not tell_of.assumed and before <> value
                 or ledger.rank(source) < ledger.rank(said.value_source) then 'fact_corrected'
             when tell_of.assumed then 'assumption_set' else 'fact_set' end,
        scope, namespace, key, before, value, source, tell_of.assumed, cap, greatest(now(), said.created_at), expires)
    returning chat_memory_events.id into id;
    return id;
end
$$;

-- Nothing is told where the event of what stood is erased, or says itself when it ended, or where another says so.
create function ledger.tell_end(told bigint, value jsonb, expires timestamptz) returns void
    language plpgsql volatile
    as $$
declare
    here constant integer := core.entered();
    stood ledger.chat_memory_events;
    said ledger.chat_memory_events;
begin
    select * into stood from ledger.chat_memory_events e where e.space_id = here and e.id = told;
    said := ledger.latest_of(stood.memory_scope, stood.session_id, stood.distinct_id, stood.memory_namespace,
        stood.memory_key);
    if said.id is null or said.event_type in ('fact_expired', 'fact_deleted') or stood.expires_at <= now() then
        return;
    end if;
    perform core.leave_unindexed(2, here);
    insert into ledger.chat_memory_events (session_id, distinct_id, turn_index, event_type, memory_scope, memory_namespace,
        memory_key, old_value_json, new_value_json, value_source, assumed, created_at)
    values (stood.session_id, stood.distinct_id, stood.turn_index,
        case when expires <= now() then 'fact_expired' else 'fact_deleted' end, stood.memory_scope,
        stood.memory_namespace, stood.memory_key, value, 'null', stood.value_source, stood.assumed,
        greatest(now(), said.created_at));
end
$$;
comment on function ledger.tell_end(bigint, jsonb, timestamptz) is 'Writes the event of the end of what an event said.';

create function ledger.tell_of_end() returns trigger
    language plpgsql
    as $$
begin
    perform ledger.tell_end(old.source_event_id, old.value_json, old.expires_at);
    return null;
end
$$;

create trigger tell after insert on ledger.chat_session_memory
    for each row when (new.source_event_id is null) execute function ledger.tell_of_value();

-- A rebuild drops what it makes again, and says so.
create trigger tell_of_end after delete on ledger.chat_session_memory
    for each row when (old.source_event_id is not null and current_setting('quipu.rebuilding', true) is distinct from 'on')
    execute function ledger.tell_of_end();

create trigger tell after insert on ledger.chat_user_preferences
    for each row when (new.source_event_id is null) execute function ledger.tell_of_preference();

-- A rebuild drops what it makes again, and says so.
create trigger tell_of_end after delete on ledger.chat_user_preferences
    for each row when (old.source_event_id is not null and current_setting('quipu.rebuilding', true) is distinct from 'on')
    execute function ledger.tell_of_end();

call core.keep_from_truncation('ledger', array['chat_session_memory', 'chat_user_preferences',
    'chat_recommendation_evidence']);

reset role;
