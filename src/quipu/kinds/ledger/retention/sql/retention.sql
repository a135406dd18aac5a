-- name: due_sessions: sessions in which nothing was written since a moment, and which are kept for evidence
--
-- Only what has something to lose: a session that was emptied before is not due again until its evidence is.
with idle as materialized (
    select s.id, s.name, s.uid, s.messages
    from core.sessions s
    left join ledger.session_details d on d.space_id = s.space_id and d.session_id = s.uid
    cross join lateral (
        select greatest(
            d.started_at, d.ended_at,
            (select recorded_at from core.messages
                where space_id = %(space)s and id between s.id << 24 and (s.id << 24) + 16777215
                order by id desc limit 1),
            (select max(created_at) from core.tool_calls where space_id = %(space)s and session_id = s.id),
            (select max(created_at) from ledger.chat_memory_events where space_id = %(space)s and session_id = s.uid),
            (select max(created_at) from ledger.chat_recommendations where space_id = %(space)s and session_id = s.uid),
            (select max(created_at) from ledger.chat_recommendation_evidence
                where space_id = %(space)s and session_id = s.uid),
            (select max(created_at) from ledger.chat_competitor_checks where space_id = %(space)s and session_id = s.uid),
            (select max(created_at) from ledger.chat_review_signal_runs where space_id = %(space)s and session_id = s.uid),
            (select max(created_at) from ledger.chat_fallbacks where space_id = %(space)s and session_id = s.uid)
        ) as at
        offset 0
    ) written
    where s.space_id = %(space)s and (%(names)s::text[] is null or s.name = any(%(names)s::text[]))
        and coalesce(written.at, s.created_at) < %(before)s::timestamptz
)
select i.name, k.kept
from idle i
cross join lateral (
    select exists (
        select from ledger.chat_recommendation_evidence
        where space_id = %(space)s and session_id = i.uid
            and (%(evidence)s::timestamptz is null or created_at >= %(evidence)s)
    ) as kept
    offset 0
) k
where not k.kept or i.messages > 0
    or exists (select from core.tool_calls where space_id = %(space)s and session_id = i.id)
    or exists (select from ledger.chat_memory_events where space_id = %(space)s and session_id = i.uid)
    or exists (select from ledger.chat_competitor_checks where space_id = %(space)s and session_id = i.uid)
    or exists (select from ledger.chat_review_signal_runs where space_id = %(space)s and session_id = i.uid)
    or exists (select from ledger.chat_fallbacks where space_id = %(space)s and session_id = i.uid)
    or exists (select from ledger.chat_recommendation_evidence
        where space_id = %(space)s and session_id = i.uid and excerpt is not null)
order by i.id

-- name: count_emptied: what a session loses that is kept for its evidence
select
    (select count(*) from ledger.chat_memory_events
        where space_id = %(space)s and session_id = s.uid and memory_scope = 'session') as chat_memory_events,
    (select count(*) from ledger.chat_session_memory where space_id = %(space)s and session_id = s.uid)
        as chat_session_memory,
    (select count(*) from ledger.chat_recommendations r
        where r.space_id = %(space)s and r.session_id = s.uid and not exists (
            select from ledger.chat_recommendation_evidence v
            where v.space_id = %(space)s and v.recommendation_id = r.id
                and (%(before)s::timestamptz is null or v.created_at >= %(before)s)
        )) as chat_recommendations,
    (select count(*) from ledger.chat_recommendation_evidence
        where space_id = %(space)s and session_id = s.uid and created_at < %(before)s) as chat_recommendation_evidence,
    (select count(*) from ledger.chat_recommendation_evidence
        where space_id = %(space)s and session_id = s.uid and excerpt is not null
            and (%(before)s is null or created_at >= %(before)s)) as "chat_recommendation_evidence.excerpt",
    (select count(*) from ledger.chat_competitor_checks where space_id = %(space)s and session_id = s.uid)
        as chat_competitor_checks,
    (select count(*) from ledger.chat_review_signal_runs where space_id = %(space)s and session_id = s.uid)
        as chat_review_signal_runs,
    (select count(*) from ledger.chat_fallbacks where space_id = %(space)s and session_id = s.uid) as chat_fallbacks,
    (select count(*) from core.tool_calls where space_id = %(space)s and session_id = s.id) as tool_calls
from core.sessions s
where s.space_id = %(space)s and s.name = %(session)s

-- name: entries_of_emptied: the index entries of the excerpts of a session
select e.id
from core.sessions s
join ledger.chat_recommendation_evidence v on v.space_id = s.space_id and v.session_id = s.uid
join core.recall_entries e on e.space_id = s.space_id and e.source_table = 'chat_recommendation_evidence'
    and e.source_id = v.id::text
where s.space_id = %(space)s and s.name = %(session)s
    and (%(before)s::timestamptz is null or v.created_at >= %(before)s)

-- name: session_uid: how other kinds refer to a session
select uid from core.sessions where space_id = %(space)s and name = %(session)s

-- name: erase_events_of_session: what was known in a session; what was said there of a person stays theirs
select ledger.erase_events_of_sessions(array[%(uid)s::uuid])

-- name: forget_last_session: preferences do not say any more where they were said
update ledger.chat_user_preferences set last_session_id = null
where space_id = %(space)s and last_session_id = %(uid)s::uuid

-- name: delete_session_memory: what stood in a session though no event says so
delete from ledger.chat_session_memory where space_id = %(space)s and session_id = %(uid)s::uuid

-- name: delete_unbacked: recommendations of a session without evidence that must be kept
delete from ledger.chat_recommendations r
where r.space_id = %(space)s and r.session_id = %(uid)s::uuid and not exists (
    select from ledger.chat_recommendation_evidence v
    where v.space_id = %(space)s and v.recommendation_id = r.id
        and (%(before)s::timestamptz is null or v.created_at >= %(before)s)
)

-- name: delete_old_evidence_of: evidence of a session that need not be kept
delete from ledger.chat_recommendation_evidence
where space_id = %(space)s and session_id = %(uid)s::uuid and created_at < %(before)s::timestamptz

-- name: cut_excerpts_of: the text of the evidence of a session
update ledger.chat_recommendation_evidence set excerpt = null
where space_id = %(space)s and session_id = %(uid)s::uuid and excerpt is not null

-- name: delete_competitor_checks: what a session looked up
delete from ledger.chat_competitor_checks where space_id = %(space)s and session_id = %(uid)s::uuid

-- name: delete_signal_runs: what a session read out of reviews
delete from ledger.chat_review_signal_runs where space_id = %(space)s and session_id = %(uid)s::uuid

-- name: delete_fallbacks: what a session was told when sources failed
delete from ledger.chat_fallbacks where space_id = %(space)s and session_id = %(uid)s::uuid

-- name: delete_tool_calls: which tools a session called
delete from core.tool_calls
where space_id = %(space)s and session_id = (
    select id from core.sessions where space_id = %(space)s and uid = %(uid)s::uuid)

-- name: blank_details: the free text that is known of a session
update ledger.session_details set meta = '{}', trace_id = null where space_id = %(space)s and session_id = %(uid)s::uuid

-- name: count_due_rows: what goes by itself, in sessions that are not due
with due as materialized (
    select uid from core.sessions where space_id = %(space)s and name = any(%(due)s::text[])
)
select
    (select count(*) from ledger.chat_user_preferences where space_id = %(space)s and expires_at <= %(now)s::timestamptz)
        as chat_user_preferences,
    (select count(*) from ledger.chat_session_memory
        where space_id = %(space)s and expires_at <= %(now)s and session_id not in (select uid from due))
        as chat_session_memory,
    (select count(*) from ledger.chat_recommendations r
        where r.space_id = %(space)s and r.created_at < %(evidence)s::timestamptz
            and r.session_id not in (select uid from due) and not exists (
            select from ledger.chat_recommendation_evidence v
            where v.space_id = %(space)s and v.recommendation_id = r.id and v.created_at >= %(evidence)s
        )) as chat_recommendations,
    (select count(*) from ledger.chat_recommendation_evidence
        where space_id = %(space)s and created_at < %(evidence)s and session_id not in (select uid from due))
        as chat_recommendation_evidence,
    (select count(*) from ledger.chat_recommendation_evidence
        where space_id = %(space)s and created_at < %(excerpts)s::timestamptz and excerpt is not null
            and (%(evidence)s is null or created_at >= %(evidence)s) and session_id not in (select uid from due))
        as "chat_recommendation_evidence.excerpt"

-- name: expire_preferences: note of each preference whose time is over that it expired, which takes it out
with due as materialized (
    select p.distinct_id, e.memory_namespace, e.memory_key
    from ledger.chat_user_preferences p
    join ledger.chat_memory_events e on e.space_id = p.space_id and e.id = p.source_event_id
    where p.space_id = %(space)s and p.expires_at <= %(now)s::timestamptz
)
select (ledger.append(%(name)s::text, 'expire', 'cross_session', null, distinct_id, memory_namespace, memory_key, null,
    null, false, 'none', null, %(now)s, null, null, null, 'retention', 'its time is over', null)).event_id
from due

-- name: expire_values: the same of the values of sessions
with due as materialized (
    select s.name, m.memory_namespace, m.memory_key
    from ledger.chat_session_memory m
    join core.sessions s on s.space_id = m.space_id and s.uid = m.session_id
    where m.space_id = %(space)s and m.expires_at <= %(now)s::timestamptz and m.source_event_id is not null
)
select (ledger.append(%(name)s::text, 'expire', 'session', name, null, memory_namespace, memory_key, null, null, false,
    'none', null, %(now)s, null, null, null, 'retention', 'its time is over', null)).event_id
from due

-- name: delete_unsaid_preferences: expired preferences of which no event says how they came about
delete from ledger.chat_user_preferences where space_id = %(space)s and expires_at <= %(now)s::timestamptz

-- name: delete_unsaid_values: the same of the values of sessions
delete from ledger.chat_session_memory where space_id = %(space)s and expires_at <= %(now)s::timestamptz

-- name: delete_old_recommendations: recommendations older than the audit window, with their evidence
delete from ledger.chat_recommendations r
where r.space_id = %(space)s and r.created_at < %(evidence)s::timestamptz and not exists (
    select from ledger.chat_recommendation_evidence v
    where v.space_id = %(space)s and v.recommendation_id = r.id and v.created_at >= %(evidence)s
)

-- name: delete_old_evidence: evidence older than the audit window
delete from ledger.chat_recommendation_evidence where space_id = %(space)s and created_at < %(evidence)s::timestamptz

-- name: entries_of_old_excerpts: the index entries of excerpts that are to be cut
select e.id
from ledger.chat_recommendation_evidence v
join core.recall_entries e on e.space_id = v.space_id and e.source_table = 'chat_recommendation_evidence'
    and e.source_id = v.id::text
where v.space_id = %(space)s and v.created_at < %(excerpts)s::timestamptz and v.excerpt is not null

-- name: cut_old_excerpts: the text of evidence that stays in the audit window
update ledger.chat_recommendation_evidence set excerpt = null
where space_id = %(space)s and created_at < %(excerpts)s::timestamptz and excerpt is not null
