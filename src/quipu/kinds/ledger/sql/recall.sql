-- name: cite: what entries say that still stands, and where it is from
select e.id, e.content as text, e.happened_at, e.recorded_at, coalesce(f.id, v.id)::text as said, s.name as session,
       f.distinct_id as person, coalesce(f.value_source, v.source_name) as role
from core.recall_entries e
left join lateral (
    select id, session_id, distinct_id, value_source, expires_at
    from ledger.chat_memory_events
    where e.source_table = 'chat_memory_events' and space_id = %(space)s and id = e.source_id::int8
    offset 0
) f on true
left join lateral (
    select id, session_id, source_name
    from ledger.chat_recommendation_evidence
    where e.source_table = 'chat_recommendation_evidence' and space_id = %(space)s and id = e.source_id::int8
    offset 0
) v on true
left join lateral (
    select name from core.sessions where space_id = %(space)s and uid = coalesce(f.session_id, v.session_id) offset 0
) s on true
where e.space_id = %(space)s and e.id = any(%(ids)s::int8[])
    and (f.id is not null or v.id is not null) and (f.expires_at is null or f.expires_at > now())
