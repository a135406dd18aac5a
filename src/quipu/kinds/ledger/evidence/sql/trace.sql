-- name: tool_call: what a tool was asked and what came of it
insert into core.tool_calls (space_id, session_id, message_id, turn_index, tool_name, source_name, args_json, result_json,
    status, latency_ms, cache_hit, source_freshness_seconds, error_code, created_at)
values (%(space)s, %(thread)s, %(message)s::int8, %(turn)s, %(tool)s, %(source)s::text, %(args)s::jsonb,
    %(result)s::jsonb, %(status)s, %(latency_ms)s, %(cache_hit)s, %(freshness_seconds)s::int4, %(error_code)s::text,
    %(now)s)
returning id

-- name: competitor_check: a place that was looked up
insert into ledger.chat_competitor_checks (space_id, session_id, turn_index, query_text, resolved_place_id, resolved_name,
    status, latency_ms, created_at)
values (%(space)s, %(session)s, %(turn)s, %(query)s, %(place)s::text, %(name)s::text, %(status)s, %(latency_ms)s::int4,
    %(now)s)
returning id

-- name: competitor_checks: the look-ups of a session, the latest first
select c.id, c.turn_index as turn, c.query_text as query, c.status, c.resolved_place_id as place, c.resolved_name as name,
       c.latency_ms, c.created_at, coalesce(r.evidence_count > 0, false) as has_reviews
from ledger.chat_competitor_checks c
left join lateral (
    select evidence_count
    from ledger.chat_review_signal_runs
    where space_id = %(space)s and session_id = c.session_id and place_id = c.resolved_place_id
        and entity_type = 'competitor'
    order by id desc
    limit 1
) r on true
where c.space_id = %(space)s and c.session_id = %(session)s
order by c.id desc

-- name: signal_run: what a reading of reviews found
insert into ledger.chat_review_signal_runs (space_id, session_id, turn_index, entity_type, place_id, sample_review_count,
    evidence_count, recency_window_days, themes_detected, signal_scores_json, status, latency_ms, cache_hit,
    source_freshness_seconds, error_code, created_at)
values (%(space)s, %(session)s, %(turn)s, %(entity)s, %(place)s, %(sample_count)s, %(evidence_count)s, %(window_days)s,
    %(themes)s, %(scores)s::jsonb, %(status)s, %(latency_ms)s, %(cache_hit)s, %(freshness_seconds)s::int4,
    %(error_code)s::text, %(now)s)
returning id

-- name: source_run: a run that fetched from a source
insert into ledger.source_runs (space_id, source_name, run_started_at, run_finished_at, status, items_fetched,
    latest_record_at, error_message)
values (%(space)s, %(source)s, %(started_at)s, %(finished_at)s::timestamptz, %(status)s, %(items)s::int4,
    %(latest_record_at)s::timestamptz, %(error)s::text)
returning id

-- name: fallback: an answer that had to do without
insert into ledger.chat_fallbacks (space_id, session_id, turn_index, fallback_type, reason, sources_down, response_text,
    created_at)
values (%(space)s, %(session)s, %(turn)s, %(kind)s, %(reason)s, %(sources_down)s, %(response)s, %(now)s)
returning id

-- name: fell_back: a session is marked as one that had a fallback
insert into ledger.session_details as d (space_id, session_id, had_fallback)
values (%(space)s, %(session)s, true)
on conflict (space_id, session_id) do update set had_fallback = true where not d.had_fallback
