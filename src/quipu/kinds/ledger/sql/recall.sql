-- name: cite: what entries say that still stands, and where it is from
select e.id, e.content as text, e.happened_at, e.recorded_at, coalesce(f.id, v.id)::text as said, s.name as session,
       f.distinct_id as person, coalesce(f.value_source, v.source_name) as role
from core.recall_entries e
left join lateral (
    select id, session_id, distinct_id, value_source
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
        or exists (
            select from ledger.chat_session_memory
            where space_id = %(space)s and source_event_id = f.id and (expires_at is null or expires_at > now()))
        or exists (
            select from ledger.chat_user_preferences
            where space_id = %(space)s and source_event_id = f.id and (expires_at is null or expires_at > now())))

-- name: marks: how far the index has followed
select event_id, evidence_id, expired_until from ledger.filing_marks where space_id = %(space)s

-- name: unindexed_facts: facts that stand, of the events beyond the mark, in their order
select e.id, 'chat_memory_events' as source_table, e.memory_key as key, e.new_value_json as value,
       e.created_at as happened_at, e.created_at as recorded_at, e.distinct_id as owner,
       e.value_source = 'explicit' as said
from ledger.chat_memory_events e
cross join lateral (
    select expires_at from ledger.chat_session_memory where space_id = %(space)s and source_event_id = e.id
    union all
    select expires_at from ledger.chat_user_preferences where space_id = %(space)s and source_event_id = e.id
    offset 0
) stands
left join lateral (
    select id from core.recall_entries
    where space_id = %(space)s and source_table = 'chat_memory_events' and source_id = e.id::text
    offset 0
) filed on true
where e.space_id = %(space)s and e.id > %(after)s and filed.id is null
    and (stands.expires_at is null or stands.expires_at > now())
order by e.id
limit %(limit)s

-- name: unindexed_evidence: excerpts of evidence beyond the mark, in their order
select v.id, 'chat_recommendation_evidence' as source_table, v.theme as key, to_jsonb(v.excerpt) as value,
       coalesce(v.review_publish_at, v.created_at) as happened_at, v.created_at as recorded_at, s.distinct_id as owner,
       false as said
from ledger.chat_recommendation_evidence v
cross join lateral (
    select coalesce(distinct_id, nullif(belongs_to, '')) as distinct_id
    from core.sessions where space_id = %(space)s and uid = v.session_id offset 0
) s
left join lateral (
    select id from core.recall_entries
    where space_id = %(space)s and source_table = 'chat_recommendation_evidence' and source_id = v.id::text
    offset 0
) filed on true
where v.space_id = %(space)s and v.id > %(after)s and v.excerpt is not null and filed.id is null
order by v.id
limit %(limit)s

-- name: last_ids: the last event and the last piece of evidence
select coalesce((select id from ledger.chat_memory_events where space_id = %(space)s order by id desc limit 1), 0),
       coalesce((select id from ledger.chat_recommendation_evidence where space_id = %(space)s order by id desc limit 1), 0)

-- name: superseded: entries of what stood at the mark, or was filed beyond it, for the keys that were written to since
with touched as (
    select distinct memory_scope, case memory_scope when 'session' then session_id end as session_id,
        case memory_scope when 'cross_session' then distinct_id end as distinct_id, memory_namespace, memory_key
    from ledger.chat_memory_events
    where space_id = %(space)s and id > %(after)s and id <= %(upto)s
)
select r.id
from touched t
cross join lateral (
    (select standing_event_id from ledger.chat_memory_events
     where space_id = %(space)s and memory_scope = 'session' and session_id = t.session_id
        and memory_namespace = t.memory_namespace and memory_key = t.memory_key and id <= %(after)s
     order by created_at desc, id desc limit 1)
    union all
    (select standing_event_id from ledger.chat_memory_events
     where space_id = %(space)s and memory_scope = 'cross_session' and distinct_id = t.distinct_id
        and memory_namespace = t.memory_namespace and memory_key = t.memory_key and id <= %(after)s
     order by created_at desc, id desc limit 1)
    union all
    (select id from ledger.chat_memory_events
     where space_id = %(space)s and memory_scope = 'session' and session_id = t.session_id
        and memory_namespace = t.memory_namespace and memory_key = t.memory_key and id > %(after)s and id <= %(upto)s)
    union all
    (select id from ledger.chat_memory_events
     where space_id = %(space)s and memory_scope = 'cross_session' and distinct_id = t.distinct_id
        and memory_namespace = t.memory_namespace and memory_key = t.memory_key and id > %(after)s and id <= %(upto)s)
) before
cross join lateral (
    select id from core.recall_entries
    where space_id = %(space)s and source_table = 'chat_memory_events' and source_id = before.standing_event_id::text
    offset 0
) r
left join lateral (
    select id from ledger.chat_session_memory where space_id = %(space)s and source_event_id = before.standing_event_id
    union all
    select id from ledger.chat_user_preferences where space_id = %(space)s and source_event_id = before.standing_event_id
    offset 0
) stands on true
where stands.id is null

-- name: expired: entries of what expired since that was last looked at
select r.id
from (
    select source_event_id from ledger.chat_session_memory
    where space_id = %(space)s and expires_at > %(since)s and expires_at <= now()
    union all
    select source_event_id from ledger.chat_user_preferences
    where space_id = %(space)s and expires_at > %(since)s and expires_at <= now()
) e
cross join lateral (
    select id from core.recall_entries
    where space_id = %(space)s and source_table = 'chat_memory_events' and source_id = e.source_event_id::text
    offset 0
) r

-- name: no_longer_standing: all entries of facts that do not stand, where nobody knows since when
select r.id
from core.recall_entries r
where r.space_id = %(space)s and r.source_table = 'chat_memory_events'
    and not exists (
        select from ledger.chat_session_memory m
        where m.space_id = %(space)s and m.source_event_id = r.source_id::int8
    )
    and not exists (
        select from ledger.chat_user_preferences p
        where p.space_id = %(space)s and p.source_event_id = r.source_id::int8
    )

-- name: move_marks: how far the index has followed now
insert into ledger.filing_marks (space_id, event_id, evidence_id, expired_until)
values (%(space)s, %(event)s, %(evidence)s, now())
on conflict (space_id) do update set
    event_id = excluded.event_id, evidence_id = excluded.evidence_id, expired_until = excluded.expired_until

-- name: all_is_filed: the index knows all that stands
update core.spaces set unindexed = unindexed & ~2 where id = %(space)s

-- name: file_anew: let the next recall look at everything again
with forgotten as (
    delete from ledger.filing_marks where space_id = %(space)s
)
update core.spaces set unindexed = unindexed | 2 where id = %(space)s
