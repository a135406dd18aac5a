-- name: doomed_sessions: the sessions that an erasure takes with all that the ledger knows of them
--
-- A session of which nobody said whose it is, is a person's where they are its one user, or all that users said there
-- is theirs.
select uid from core.sessions
where space_id = %(space)s
    and (%(session)s::text is null or name = %(session)s)
    and (%(user)s::text is null or coalesce(distinct_id, belongs_to) = %(user)s or distinct_id is null and id in (
        select session_id from core.messages
        where space_id = %(space)s and role = 'user'
        group by session_id
        having bool_and(coalesce(user_name = %(user)s, false) or coalesce(speaker = %(user)s, false))
    ))

-- name: doomed_events: the events that an erasure takes besides: those of a person, or all
select id from ledger.chat_memory_events
where space_id = %(space)s
    and (%(user)s::text is null or distinct_id = %(user)s)
    and (%(session)s::text is null or session_id = (
        select uid from core.sessions where space_id = %(space)s and name = %(session)s))
    and (memory_scope = 'cross_session' or session_id <> all(%(sessions)s::uuid[]))

-- name: count_doomed: how many rows of what would go
select
    (select count(*) from ledger.chat_memory_events
        where space_id = %(space)s and memory_scope = 'session' and session_id = any(%(sessions)s::uuid[]))
        + cardinality(%(events)s::int8[]) as chat_memory_events,
    (select count(*) from ledger.chat_session_memory
        where space_id = %(space)s
            and (session_id = any(%(sessions)s::uuid[]) or source_event_id = any(%(events)s::int8[])))
        as chat_session_memory,
    (select count(*) from ledger.chat_user_preferences
        where space_id = %(space)s
            and (source_event_id = any(%(events)s::int8[]) or distinct_id = %(whole_user)s::text))
        as chat_user_preferences,
    (select count(*) from ledger.chat_recommendations
        where space_id = %(space)s and session_id = any(%(sessions)s::uuid[])) as chat_recommendations,
    (select count(*) from ledger.chat_recommendation_evidence
        where space_id = %(space)s and session_id = any(%(sessions)s::uuid[])) as chat_recommendation_evidence,
    (select count(*) from ledger.chat_competitor_checks
        where space_id = %(space)s and session_id = any(%(sessions)s::uuid[])) as chat_competitor_checks,
    (select count(*) from ledger.chat_review_signal_runs
        where space_id = %(space)s and session_id = any(%(sessions)s::uuid[])) as chat_review_signal_runs,
    (select count(*) from ledger.chat_fallbacks
        where space_id = %(space)s and session_id = any(%(sessions)s::uuid[])) as chat_fallbacks,
    (select count(*) from core.tool_calls c join core.sessions s on s.space_id = c.space_id and s.id = c.session_id
        where c.space_id = %(space)s and s.uid = any(%(sessions)s::uuid[])
            and (%(user)s::text is null or not exists (
                select from core.messages m
                where m.space_id = %(space)s and m.id = c.message_id and m.user_name <> %(user)s))) as tool_calls

-- name: erase_sessions: all that the ledger knows of sessions
select ledger.erase_sessions(%(sessions)s::uuid[])

-- name: erase_events: events, and what stands and can be found of them
select ledger.erase_events(%(events)s::int8[])

-- name: erase_preferences: what stands of a person though no event says so
delete from ledger.chat_user_preferences where space_id = %(space)s and distinct_id = %(user)s

-- name: erase_actor: the name of a person from what they wrote of others
select ledger.erase_actor(%(user)s::text)

-- name: erase_all_preferences: what stands of anybody
delete from ledger.chat_user_preferences where space_id = %(space)s

-- name: erase_source_runs: what the sources of a space did
delete from ledger.source_runs where space_id = %(space)s
