-- name: hold: one at a time changes the memories of a space
select pg_advisory_xact_lock(731077, %(space)s)

-- name: due_sessions: sessions of people that an extractor has not read, or not all of, or not this well
--
-- A subagent is told what to do by an agent: nothing there is said by a person. A session that failed is due again,
-- and so is one that was read and then lost messages to an erasure (status none).
-- %(version)s is null where all are wanted, read or not.
select s.id as number, s.name, coalesce(d.project_path, '') as project
from core.sessions s
left join transcripts.session_details d on d.space_id = s.space_id and d.session_id = s.id
left join transcripts.extractions x
    on x.space_id = s.space_id and x.session_id = s.id and x.extractor = %(extractor)s
left join lateral (
    select m.recorded_at from core.messages m
    where m.space_id = s.space_id and m.id >= s.id << 24 and m.id < (s.id + 1) << 24
    order by m.id desc limit 1
) said on true
where s.space_id = %(space)s
    and case when %(session)s::text is null then (d.session_id is not null or x.status = 'none') and d.parent_session is null
        else s.name = %(session)s end
    and (%(since)s::timestamptz is null or s.last_at >= %(since)s)
    and (%(version)s::integer is null
        or ((x.session_id is null or x.status in ('none', 'failed') or x.error is not null or x.version < %(version)s
                or said.recorded_at > x.attempted_at)
            and not exists (
                select from transcripts.extractions y
                where y.space_id = s.space_id and y.session_id = s.id and y.extractor = 'manual' and y.status = 'done')))
order by s.last_at nulls first, s.id

-- name: turns: what was said in a session, in its order; role is other where a machine spoke for the user
--
-- What a resumed session copied from an earlier one was said there.
select m.id, m.happened_at, m.content,
    case when m.role = 'user' and coalesce(l.machine, false) then 'other' else m.role end as role,
    m.role = 'user' and exists (
        select from core.messages o
        where o.space_id = m.space_id and o.external_id = m.external_id and o.session_id < m.session_id) as copied,
    m.speaker, m.user_name
from core.messages m
left join lateral (
    select bool_or(l.is_sidechain or l.is_meta or l.is_noise or l.is_compact_summary) as machine
    from transcripts.lines l
    where l.space_id = m.space_id and l.message_id = m.id
) l on true
where m.space_id = %(space)s and m.session_id = %(number)s and m.role in ('user', 'assistant') and m.content <> ''
order by m.happened_at, m.id

-- name: known: the memories of a project, with the forms that they had before edits
select m.id, m.fact, m.category, m.status = 'archived' as archived, m.happened_at, m.updated_at as archived_at,
    array(select e.fact from transcripts.memory_edits e
        where e.space_id = m.space_id and e.memory_id = m.id order by e.id) as facts_before,
    array(select e.category from transcripts.memory_edits e
        where e.space_id = m.space_id and e.memory_id = m.id order by e.id) as categories_before
from transcripts.memories m
where m.space_id = %(space)s and m.project_path = %(project)s

-- name: near: of each vector the memory of the project whose vector is next to it, if it is near enough
select g.place::integer as place, n.id
from unnest(%(vectors)s::halfvec[]) with ordinality as g (vector, place)
cross join lateral (
    select m.id, v.context <#> g.vector as distance
    from transcripts.memories m
    join core.recall_vectors v
        on v.space_id = m.space_id and v.generation = %(generation)s and v.entry_id = m.entry_id
    where m.space_id = %(space)s and m.project_path = %(project)s and m.status = 'active'
    order by v.context <#> g.vector limit 1
) n
where n.distance <= -%(same)s::float8

-- name: insert_memory: a new memory
insert into transcripts.memories (space_id, id, session_id, fact, category, confidence, created_at, updated_at, origin,
    project_path, extractor, extractor_version, normal_form, happened_at, entry_id, metadata)
values (%(space)s, %(id)s, %(session)s, %(fact)s, %(category)s, %(confidence)s, %(now)s, %(now)s, %(origin)s,
    %(project)s, %(extractor)s, %(version)s, %(form)s, %(happened_at)s, %(entry)s, coalesce(%(metadata)s::jsonb, '{}'))

-- name: insert_source: a turn that tells a memory; told again, it is told by the later extractor
insert into transcripts.memory_sources (space_id, memory_id, session_id, turn_index, message_id, excerpt, extractor,
    extractor_version, extracted_at)
values (%(space)s, %(memory)s, %(session)s, %(turn)s, %(message)s, %(excerpt)s, %(extractor)s, %(version)s, %(now)s)
on conflict (space_id, memory_id, session_id, turn_index) do update
    set message_id = excluded.message_id, excerpt = excluded.excerpt, extractor = excluded.extractor,
        extractor_version = excluded.extractor_version, extracted_at = excluded.extracted_at

-- name: drop_sources: what an extractor said of a session before; memories that a person touched keep theirs
delete from transcripts.memory_sources o
using transcripts.memories m
where o.space_id = %(space)s and o.session_id = %(session)s and o.extractor = %(extractor)s
    and m.space_id = o.space_id and m.id = o.memory_id and m.edited_at is null and m.confirmed_at is null
    and m.status = 'active'

-- name: sources_of: which memories an extractor found in a session
select distinct memory_id from transcripts.memory_sources
where space_id = %(space)s and session_id = %(session)s and extractor = %(extractor)s

-- name: orphans: extracted memories that nothing tells any more, that nobody edited, confirmed or archived
select id, entry_id from transcripts.memories m
where space_id = %(space)s and id = any(%(ids)s::uuid[]) and origin = 'extracted' and status = 'active'
    and edited_at is null and confirmed_at is null
    and not exists (
        select from transcripts.memory_sources o where o.space_id = m.space_id and o.memory_id = m.id)

-- name: delete_memories: memories with their sources, edits and contradictions
delete from transcripts.memories where space_id = %(space)s and id = any(%(ids)s::uuid[])

-- name: strengthen: a memory that was said again, in other sessions or later
update transcripts.memories
set confidence = greatest(confidence, %(confidence)s), happened_at = greatest(happened_at, %(happened_at)s),
    updated_at = %(now)s
where space_id = %(space)s and id = %(id)s
    and (confidence < %(confidence)s or happened_at < %(happened_at)s)

-- name: contradict: an earlier memory loses by a later one
insert into transcripts.memory_contradictions (space_id, memory_id, contradicted_by, created_at)
values (%(space)s, %(memory)s, %(by)s, %(now)s)
on conflict do nothing

-- name: drop_contradictions: after an edit the memory says something else
delete from transcripts.memory_contradictions
where space_id = %(space)s and (memory_id = %(id)s or contradicted_by = %(id)s)

-- name: mark: how an extraction of a session went
insert into transcripts.extractions (space_id, session_id, extractor, version, status, error, memories, attempted_at)
values (%(space)s, %(number)s, %(extractor)s, %(version)s, %(status)s, %(error)s, %(memories)s, %(at)s)
on conflict (space_id, session_id, extractor) do update
    set version = excluded.version, status = excluded.status, error = excluded.error,
        memories = case when excluded.status = 'failed' then extractions.memories else excluded.memories end,
        attempted_at = excluded.attempted_at

-- name: memories: memories with what happened to them; of one id, of one status, category, project or session
--
-- A contradiction counts while the later memory is active.
select m.id::text as id, m.fact, m.category, coalesce(m.confidence, 0.5) as judged,
    coalesce(m.confidence, 0.5) as confidence, case m.status when 'archived' then 'archived' else 'live' end as state, m.origin,
    m.project_path as project, m.session_id as session, m.happened_at, coalesce(m.created_at, m.happened_at) as created_at,
    coalesce(m.updated_at, m.created_at, m.happened_at) as updated_at, m.edited_at, m.confirmed_at, m.used_at, m.uses,
    m.extractor, m.extractor_version, m.entry_id, coalesce(m.valid_from, m.happened_at) as valid_from, m.valid_until,
    m.metadata,
    (select count(*) from transcripts.memory_sources o
        where o.space_id = m.space_id and o.memory_id = m.id)::integer as sources,
    (select count(distinct o.session_id) from transcripts.memory_sources o
        where o.space_id = m.space_id and o.memory_id = m.id)::integer as sessions,
    array(select c.contradicted_by::text from transcripts.memory_contradictions c
        join transcripts.memories by on by.space_id = c.space_id and by.id = c.contradicted_by and by.status = 'active'
        where c.space_id = m.space_id and c.memory_id = m.id order by c.created_at, c.contradicted_by) as contradicted_by
from transcripts.memories m
where m.space_id = %(space)s
    and (%(ids)s::uuid[] is null or m.id = any(%(ids)s))
    and (%(entries)s::int8[] is null or m.entry_id = any(%(entries)s))
    and (%(category)s::text is null or m.category = %(category)s)
    and (%(project)s::text is null or m.project_path = %(project)s)
    and (%(session)s::text is null or exists (
        select from transcripts.memory_sources o
        where o.space_id = m.space_id and o.memory_id = m.id and o.session_id = %(session)s)
        or m.session_id = %(session)s)
order by m.happened_at desc, m.id

-- name: surest: which memories of a state there are, the surest first; of a category, project or session
--
-- What a memory is worth is worked out as decay.py does. Behind %(after)s comes what is worth less than that
-- memory is now, be it of the list or not any more. Few memories were said in several sessions, or are contradicted: these are counted first.
with aged as not materialized (
    select m.id, m.happened_at, m.status = 'archived' as archived,
        greatest(w.said, least(0.98::float8, 1 - (1 - w.said) * w.kept)) * w.left_of_it as worth
    from transcripts.memories m
    left join (
        select memory_id, count(distinct session_id) as sessions from transcripts.memory_sources
        where space_id = %(space)s group by memory_id having count(*) > 1
    ) s on s.memory_id = m.id
    left join (
        select c.memory_id, count(*) as contradictions from transcripts.memory_contradictions c
        join transcripts.memories by on by.space_id = c.space_id and by.id = c.contradicted_by and by.status = 'active'
        where c.space_id = %(space)s group by c.memory_id
    ) c on c.memory_id = m.id
    cross join lateral (
        select coalesce(m.confidence, 0.5)::float8 as judged offset 0
    ) j
    cross join lateral (
        select greatest(j.judged, least(0.98::float8,
                1 - (1 - j.judged) * power(1 - 0.5::float8 * j.judged, coalesce(s.sessions, 1) - 1))) as said,
            greatest(power(0.9::float8, m.uses), 0.5::float8)
                * case when m.confirmed_at is null and m.edited_at is null then 1::float8 else 0.5::float8 end as kept,
            power(0.4::float8, coalesce(c.contradictions, 0))
                * case when m.category = any(%(lasting)s::text[])
                    or (m.category = any(%(in_projects)s::text[]) and m.project_path <> '') then 1::float8 else
                exp(greatest(-ln(2::float8) / %(half_life_days)s::float8 * greatest(date_part('epoch', %(now)s::timestamptz
                    - greatest(m.happened_at, m.used_at, m.confirmed_at, m.edited_at)), 0) / 86400, -700)) end as left_of_it
        offset 0
    ) w
    where m.space_id = %(space)s
        and (m.id = %(after)s::uuid or (
            (%(category)s::text is null or m.category = %(category)s)
            and (%(project)s::text is null or m.project_path = %(project)s)
            and (%(session)s::text is null or m.session_id = %(session)s or exists (
                select from transcripts.memory_sources o
                where o.space_id = m.space_id and o.memory_id = m.id and o.session_id = %(session)s))
            and (%(filter)s::jsonpath is null or m.metadata @@ %(filter)s::jsonpath)
            and (%(ended)s or m.valid_until is null or m.valid_until > %(now)s)
            and (%(state)s::text is null or (m.status = 'archived') = (%(state)s = 'archived'))))
)
select m.id from aged m
where (%(state)s::text is null or m.archived or (m.worth < %(archive_below)s::float8) = (%(state)s = 'faded'))
    and (%(after)s::uuid is null or (m.worth, m.happened_at, m.id) < (
        select p.worth, p.happened_at, p.id from aged p where p.id = %(after)s))
order by m.worth desc, m.happened_at desc, m.id desc
limit %(limit)s offset %(offset)s

-- name: sources: where a memory was said, the latest first
select session_id as session, turn_index, excerpt, extractor, extractor_version, extracted_at
from transcripts.memory_sources
where space_id = %(space)s and memory_id = %(id)s
order by extracted_at desc, session_id, turn_index

-- name: ids_like: memories whose id begins so
select id from transcripts.memories where space_id = %(space)s and id::text like %(prefix)s order by id limit 2

-- name: keep_edit: how a memory read before
insert into transcripts.memory_edits (space_id, memory_id, fact, category, edited_at)
select space_id, id, fact, category, %(now)s from transcripts.memories where space_id = %(space)s and id = %(id)s

-- name: rewrite: what a memory says from now on
update transcripts.memories
set fact = %(fact)s, category = %(category)s, normal_form = %(form)s, entry_id = %(entry)s, edited_at = %(now)s,
    updated_at = %(now)s
where space_id = %(space)s and id = %(id)s

-- name: set_metadata: what else is known of a memory from now on
update transcripts.memories set metadata = %(metadata)s, updated_at = %(now)s
where space_id = %(space)s and id = %(id)s

-- name: matching: entries of memories whose metadata a filter lets through
select entry_id from transcripts.memories
where space_id = %(space)s and entry_id is not null and metadata @@ %(metadata)s::jsonpath

-- name: same_form: another active memory of the project with the same form
select id from transcripts.memories
where space_id = %(space)s and project_path = %(project)s and category is not distinct from %(category)s
    and normal_form = %(form)s and status = 'active' and id <> %(id)s

-- name: archive: memories are out of recall from now on
update transcripts.memories set status = 'archived', entry_id = null, updated_at = %(now)s
where space_id = %(space)s and id = any(%(ids)s::uuid[])

-- name: restore: a memory is back, and its clock starts again
update transcripts.memories
set status = 'active', entry_id = %(entry)s, used_at = %(now)s, updated_at = %(now)s
where space_id = %(space)s and id = %(id)s

-- name: revive: an archived memory that was said again is back
update transcripts.memories
set status = 'active', entry_id = %(entry)s, updated_at = %(now)s
where space_id = %(space)s and id = %(id)s

-- name: confirm: a person said that it is so
update transcripts.memories set confirmed_at = %(now)s, updated_at = %(now)s
where space_id = %(space)s and id = %(id)s

-- name: reinforce: memories were of use, now
update transcripts.memories set used_at = %(now)s, uses = uses + 1
where space_id = %(space)s and id = any(%(ids)s::uuid[])
    and (used_at is null or used_at <= %(now)s::timestamptz - %(apart)s::interval)
returning id

-- name: is_there: whether a session was not forgotten
select id from core.sessions where space_id = %(space)s and id = %(number)s for key share

-- name: messages_there: which messages were not forgotten
select id from core.messages where space_id = %(space)s and id = any(%(ids)s::int8[])

-- name: derived: lessons as statements that were derived from messages, by ids or messages; of those that a person
-- worded, no messages
select 'lesson' as kind, m.id, m.fact as text, coalesce(m.category, 'unknown') as rule,
    coalesce(m.extractor || ':' || m.extractor_version, '') as reader,
    case when m.edited_at is null then o.messages else '{}' end as messages, m.status = 'active' as live
from transcripts.memories m
cross join lateral (
    select coalesce(array_agg(distinct s.message_id) filter (where s.message_id is not null), '{}') as messages
    from transcripts.memory_sources s
    where s.space_id = m.space_id and s.memory_id = m.id
) o
where m.space_id = %(space)s
    and (%(ids)s::uuid[] is null or m.id = any(%(ids)s))
    and (%(messages)s::int8[] is null or m.edited_at is null and m.id in (
        select s.memory_id from transcripts.memory_sources s
        where s.space_id = %(space)s and s.message_id = any(%(messages)s)))

-- name: count_of_rule: how many lessons of a category were read in messages
select count(*) from transcripts.memories
where space_id = %(space)s and origin = 'extracted' and coalesce(category, 'unknown') = %(rule)s
