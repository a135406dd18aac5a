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
    and (v.id is not null
        or f.id is not null and (f.expires_at is null or f.expires_at > now()) and (
            exists (select from ledger.chat_session_memory where space_id = %(space)s and source_event_id = f.id)
            or exists (select from ledger.chat_user_preferences where space_id = %(space)s and source_event_id = f.id)))

-- name: unfiled: what stands and is not filed: facts, and the excerpts of evidence
select u.source_table, u.source_id, u.key, u.value, u.happened_at, u.recorded_at, u.owner, u.said
from (
    select 'chat_memory_events' as source_table, e.id::text as source_id, e.memory_key as key, e.new_value_json as value,
           e.created_at as happened_at, e.created_at as recorded_at, e.distinct_id as owner,
           e.value_source = 'explicit' as said, e.id
    from (
        select source_event_id as id from ledger.chat_session_memory
        where space_id = %(space)s and (expires_at is null or expires_at > now())
        union all
        select source_event_id from ledger.chat_user_preferences
        where space_id = %(space)s and (expires_at is null or expires_at > now())
    ) stands
    join ledger.chat_memory_events e on e.space_id = %(space)s and e.id = stands.id
    union all
    select 'chat_recommendation_evidence', v.id::text, v.theme, to_jsonb(v.excerpt),
           coalesce(v.review_publish_at, v.created_at), v.created_at, s.distinct_id, false, v.id
    from ledger.chat_recommendation_evidence v
    join core.sessions s on s.space_id = v.space_id and s.uid = v.session_id
    where v.space_id = %(space)s and v.excerpt is not null
) u
where not exists (
    select from core.recall_entries r
    where r.space_id = %(space)s and r.source_table = u.source_table and r.source_id = u.source_id
)
order by u.source_table, u.id
limit %(limit)s

-- name: no_longer_standing: entries of facts that were superseded or ended, and of evidence without its excerpt
select r.id
from core.recall_entries r
where r.space_id = %(space)s and r.source_table = 'chat_memory_events'
    and not exists (
        select from ledger.chat_session_memory m
        where m.space_id = %(space)s and m.source_event_id = r.source_id::int8
            and (m.expires_at is null or m.expires_at > now())
    )
    and not exists (
        select from ledger.chat_user_preferences p
        where p.space_id = %(space)s and p.source_event_id = r.source_id::int8
            and (p.expires_at is null or p.expires_at > now())
    )
union all
select r.id
from core.recall_entries r
where r.space_id = %(space)s and r.source_table = 'chat_recommendation_evidence'
    and not exists (
        select from ledger.chat_recommendation_evidence v
        where v.space_id = %(space)s and v.id = r.source_id::int8 and v.excerpt is not null
    )

-- name: all_is_filed: the index knows all that stands
update core.spaces set unfiled = unfiled & ~2 where id = %(space)s
