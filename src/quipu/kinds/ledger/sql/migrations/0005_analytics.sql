-- Questions about how the agent works, answered by counting: no view reads what was said, found or answered.
-- Days are days of UTC. Each view shows the space that was entered.

set local role quipu_owner;

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

reset role;
