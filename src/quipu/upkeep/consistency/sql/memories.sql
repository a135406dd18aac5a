-- name: memories_and_entries_that_differ: what is live has its entry or waits to be filed, and no entry is left of the rest
--
-- Each kind says of its rows whether they are to be found (null: they may be), and whether the index has yet to follow,
-- which the bit of the kind in core.spaces.unindexed must say as well. What is null after that is not compared; '' is nobody.
with waiting as (
    select k.code, k.name
    from core.recall_kinds k
    join core.spaces s on s.id = %(space)s and s.unindexed & (1 << (k.code - 1)) <> 0
),
ledger_rows as (
    select 'chat_memory_events' as source_table, e.id, p.expires_at is null or p.expires_at > now() as live,
        e.id > coalesce(k.event_id, 0) as behind, e.created_at as happened_at, coalesce(e.distinct_id, '') as owner
    from (
        select source_event_id, expires_at from ledger.chat_session_memory where space_id = %(space)s
        union all
        select source_event_id, expires_at from ledger.chat_user_preferences where space_id = %(space)s
    ) p
    join ledger.chat_memory_events e on e.space_id = %(space)s and e.id = p.source_event_id
    left join ledger.filing_marks k on k.space_id = %(space)s
    union all
    select 'chat_recommendation_evidence', v.id, true, v.id > coalesce(k.evidence_id, 0), null, null
    from ledger.chat_recommendation_evidence v
    left join ledger.filing_marks k on k.space_id = %(space)s
    where v.space_id = %(space)s and v.excerpt is not null
    union all
    select 'chat_user_preferences', id, expires_at is null or expires_at > now(), false, null, null
    from ledger.chat_user_preferences where space_id = %(space)s and source_event_id is null
),
kept (kind, source_table, source_id, entry_id, found, behind, happened_at, owner, content) as (
    select 'ledger', l.source_table, l.id::text, e.id, case when l.live then true end, l.behind, l.happened_at, l.owner, null
    from ledger_rows l
    left join core.recall_entries e
        on e.space_id = %(space)s and e.source_table = l.source_table and e.source_id = l.id::text
    union all
    select 'lesson', 'memories', id::text, entry_id, status = 'active', status = 'active' and entry_id is null, null,
        null, fact
    from transcripts.memories where space_id = %(space)s
    union all
    select 'episodes', 'episodes', id::text, entry_id, deleted_at is null and emptied_at is null,
        refile and emptied_at is null, started_at, coalesce(user_name, ''), null
    from episodes.stored_episodes where space_id = %(space)s
    union all
    select 'episodes', 'beliefs', id::text, entry_id, state = 'standing', state = 'standing' and entry_id is null, null, null,
        null
    from episodes.beliefs where space_id = %(space)s
    union all
    select 'longterm', 'long_term_memory', id::text, entry_id, not archived, not archived and entry_id is null, happened_at,
        coalesce(user_name, ''), null
    from longterm.long_term_memory where space_id = %(space)s
)
select coalesce(r.source_table || ' ' || r.source_id, 'entry ' || e.id) as what
from kept r
full join (
    select e.id, k.name as kind, e.source_table, e.source_id, e.happened_at, coalesce(n.name, '') as owner, e.content
    from core.recall_entries e
    join core.recall_kinds k on k.code = e.kind and k.name in ('ledger', 'lesson', 'episodes', 'longterm')
    left join core.recall_names n on n.space_id = e.space_id and n.id = e.owner
    where e.space_id = %(space)s
) e on e.id = r.entry_id
where case
    -- What a later event of the ledger has replaced goes when the next recall files that.
    when r.source_id is null then not (e.kind = 'ledger' and exists (select from waiting where name = 'ledger'))
    when r.behind then not exists (select from waiting w where w.name = r.kind)
    when r.found then
        (e.kind, e.source_table, e.source_id, e.happened_at, e.owner, coalesce(e.content, '')) is distinct from
        (r.kind, r.source_table, r.source_id, coalesce(r.happened_at, e.happened_at), coalesce(r.owner, e.owner),
            coalesce(r.content, e.content, ''))
    else not r.found and r.entry_id is not null end
order by 1

-- name: sessions_that_misstate_their_extraction: a session says who tried last to extract memories from it, and whether anybody did
select s.name as what
from transcripts.session_details d
join core.sessions s on s.space_id = d.space_id and s.id = d.session_id
left join (
    select distinct on (session_id) session_id, extractor, attempted_at,
        bool_or(extracted) over (partition by session_id) as extracted
    from transcripts.extractions where space_id = %(space)s
    order by session_id, attempted_at desc, extractor
) x on x.session_id = d.session_id
where d.space_id = %(space)s
    and (d.last_extractor, d.extracted, d.extraction_attempted_at)
        is distinct from (x.extractor, coalesce(x.extracted, false), x.attempted_at)
order by s.name
