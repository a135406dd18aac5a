-- name: session: where a session stands
select s.id, s.uid, s.messages, coalesce(s.distinct_id, nullif(s.belongs_to, '')) as person,
       (select count(*) from core.messages m
        where m.space_id = %(space)s and m.id between s.id << 24 and (s.id << 24) + 16777215 and m.role = 'user') as turns
from core.sessions s
where s.space_id = %(space)s and s.name = %(session)s

-- name: message: the number of a message of a session
select id from core.messages
where space_id = %(space)s and external_id = %(message)s and session_id = %(session)s

-- name: baselines: the baseline of a session as it stands; what its person prefers fills the gaps
--
-- The default scope of a person is for sessions that have no scope of their own.
select m.memory_key, m.value_json, m.assumed, m.confidence_cap
from ledger.chat_session_memory m
where m.space_id = %(space)s and m.session_id = %(session)s and m.memory_namespace = 'baseline'
    and (m.expires_at is null or m.expires_at > %(now)s)
union all
select p.preference_key, p.value_json, p.assumed, p.confidence_cap
from ledger.chat_user_preferences p
where p.space_id = %(space)s and p.distinct_id = %(person)s and p.preference_namespace = 'baseline'
    and (p.expires_at is null or p.expires_at > %(now)s)
    and not exists (
        select from ledger.chat_session_memory m
        where m.space_id = %(space)s and m.session_id = %(session)s and m.memory_namespace = 'baseline'
            and m.memory_key = case p.preference_key when 'baseline.default_scope' then 'baseline.scope'
                else p.preference_key end
            and (m.expires_at is null or m.expires_at > %(now)s))
order by 1

-- name: source: how a source answered last in a turn, and whether all were down then
select l.status, l.source_freshness_seconds as freshness_seconds, exists (
    select from ledger.chat_fallbacks f
    where f.space_id = %(space)s and f.session_id = %(session)s and f.turn_index = %(turn)s
        and f.fallback_type = 'all_sources_down'
) as all_sources_down
from (values (0)) as always
left join lateral (
    select status, source_freshness_seconds
    from (
        select c.status, c.source_freshness_seconds, c.created_at, c.id
        from core.tool_calls c
        where c.space_id = %(space)s and c.session_id = %(thread)s and c.turn_index = %(turn)s
            and c.source_name = %(source)s
        union all
        select r.status, r.source_freshness_seconds, r.created_at, r.id
        from ledger.chat_review_signal_runs r
        where r.space_id = %(space)s and r.session_id = %(session)s and r.turn_index = %(turn)s
            and r.source_name = %(source)s
    ) asked
    order by created_at desc, id desc
    limit 1
) l on true

-- name: recommend: a recommendation and its evidence, which comes in the order of its ranks
with r as (
    insert into ledger.chat_recommendations (space_id, session_id, message_id, turn_index, location_label, action,
        time_window, confidence, source_name, source_freshness_seconds, rule_version, impact_score, explanation_json,
        meta, created_at)
    values (%(space)s, %(session)s, %(message)s::int8, %(turn)s, %(location)s, %(action)s, %(time_window)s,
        %(confidence)s, %(source)s, %(freshness_seconds)s::int4, %(rule_version)s, %(impact_score)s::numeric,
        %(explanation)s::jsonb, %(meta)s::jsonb, %(now)s)
    returning id
), e as (
    insert into ledger.chat_recommendation_evidence (space_id, recommendation_id, session_id, turn_index, source_name,
        entity_type, place_id, review_id_hash, review_publish_at, review_rating, theme, excerpt, evidence_rank,
        evidence_weight, meta, created_at)
    select %(space)s, r.id, %(session)s, %(turn)s, p.source, p.entity, p.place_id, p.review_id_hash, p.published_at,
        p.rating, p.theme, p.excerpt, p.rank, p.weight, p.meta, %(now)s
    from r, unnest(%(sources)s::text[], %(entities)s::text[], %(places)s::text[], %(hashes)s::text[],
        %(published)s::timestamptz[], %(ratings)s::numeric[], %(themes)s::text[], %(excerpts)s::text[],
        %(weights)s::numeric[], %(metas)s::jsonb[]) with ordinality
        as p (source, entity, place_id, review_id_hash, published_at, rating, theme, excerpt, weight, meta, rank)
    order by p.rank
)
select id from r

-- name: recommendations: recommendations of a space or a session, the latest first; with the first and the last, one
select r.id, s.name as session, r.turn_index as turn, r.location_label as location, r.action, r.time_window,
       r.confidence, r.source_name as source, r.source_freshness_seconds as freshness_seconds, r.rule_version,
       r.impact_score::float8 as impact_score, r.review_backed, r.evidence_count, r.recency_window_days,
       r.explanation_json as explanation, r.meta, r.created_at
from ledger.chat_recommendations r
join core.sessions s on s.space_id = r.space_id and s.uid = r.session_id
where r.space_id = %(space)s and r.id between %(first)s::int8 and %(last)s::int8
    and (%(session)s::text is null or r.session_id = (
        select uid from core.sessions where space_id = %(space)s and name = %(session)s))
order by r.id desc
limit %(limit)s offset %(offset)s

-- name: pieces: evidence by recommendation, session and place, or place; a review that is cited twice is shown once
with once as (
    select distinct on (theme, place_id, case when %(recommendation)s::int8 is null then review_id_hash end,
                        case when %(recommendation)s::int8 is not null or review_id_hash is null then id end)
           id, recommendation_id, evidence_rank as rank, evidence_weight::float8 as weight, theme, source_name as source,
           entity_type as entity, place_id, review_id_hash, review_publish_at as published_at,
           review_rating::float8 as rating, excerpt, meta
    from ledger.chat_recommendation_evidence
    where space_id = %(space)s
        and (%(recommendation)s::int8 is null or recommendation_id = %(recommendation)s)
        and (%(session)s::uuid is null or session_id = %(session)s)
        and (%(place)s::text is null or place_id = %(place)s)
        and (%(theme)s::text is null or theme = %(theme)s::text)
    order by theme, place_id, case when %(recommendation)s::int8 is null then review_id_hash end,
             case when %(recommendation)s::int8 is not null or review_id_hash is null then id end, id desc
)
select * from once
order by case when %(recommendation)s::int8 is not null then rank end, published_at desc nulls last, weight desc nulls last,
         id desc
limit %(limit)s

-- name: themes: how much evidence there is of each theme, by recommendation, session and place, or place
select theme, count(distinct (place_id, review_id_hash,
    case when %(recommendation)s::int8 is not null or review_id_hash is null then id end))
from ledger.chat_recommendation_evidence
where space_id = %(space)s
    and (%(recommendation)s::int8 is null or recommendation_id = %(recommendation)s)
    and (%(session)s::uuid is null or session_id = %(session)s)
    and (%(place)s::text is null or place_id = %(place)s)
group by theme
order by 2 desc, 1
