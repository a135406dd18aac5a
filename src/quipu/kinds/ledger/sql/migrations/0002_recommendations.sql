-- Recommendations and the dated evidence behind them, and what the sources did.
-- Names, checks and indexes are those of "Memory + Review Evidence DB Schema (v1.1)"; space_id is ours.

set local role quipu_owner;

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
    foreign key (space_id, message_id) references core.messages (space_id, id) on delete set null (message_id)
);
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
    )
);
comment on column ledger.chat_recommendation_evidence.excerpt is 'At most 160 characters: never the whole of a review.';
create index idx_chat_recommendation_evidence_recommendation
    on ledger.chat_recommendation_evidence (space_id, recommendation_id, evidence_rank);
create index idx_chat_recommendation_evidence_session_turn
    on ledger.chat_recommendation_evidence (space_id, session_id, turn_index, created_at desc);
create index idx_chat_recommendation_evidence_place_publish
    on ledger.chat_recommendation_evidence (space_id, place_id, review_publish_at desc);
create trigger unfile after delete on ledger.chat_recommendation_evidence
    referencing old table as gone for each statement execute function ledger.unfile();

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
    foreign key (space_id, session_id) references core.sessions (space_id, uid)
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

do $$
declare
    t text;
begin
    foreach t in array array['chat_recommendations', 'chat_recommendation_evidence', 'chat_competitor_checks',
        'chat_review_signal_runs', 'chat_fallbacks', 'source_runs'] loop
        execute format('alter table ledger.%I enable row level security', t);
        execute format('alter table ledger.%I force row level security', t);
        execute format('create policy own_space on ledger.%I using (space_id = (select core.current_space()))', t);
        execute format('grant select, insert, update, delete on ledger.%I to quipu_app', t);
        execute format('grant usage on sequence ledger.%I to quipu_app', t || '_id_seq');
    end loop;
end
$$;

reset role;
