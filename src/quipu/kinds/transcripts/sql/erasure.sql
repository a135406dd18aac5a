-- name: doomed_memories: memories that rest on nothing but what is erased, with their entries
--
-- A memory that other sessions tell too stays, without the source that goes.
select m.id, m.entry_id from transcripts.memories m
where m.space_id = %(space)s
    and (%(everything)s or (exists (
            select from transcripts.memory_sources o where o.space_id = m.space_id and o.memory_id = m.id)
        or m.session_id = any(%(sessions)s::text[]))
    and not exists (
        select from transcripts.memory_sources o
        where o.space_id = m.space_id and o.memory_id = m.id and o.session_id <> all(%(sessions)s::text[])
            and not coalesce(o.message_id = any(%(messages)s::int8[]), false)))

-- name: count_lines: how many lines would go
select count(*) from transcripts.lines where space_id = %(space)s and session_id = any(%(numbers)s::int8[])

-- name: erase_memories: take memories out, with their sources, edits and contradictions
delete from transcripts.memories where space_id = %(space)s and id = any(%(memories)s::uuid[])

-- name: erase_sources: what is left of the sources in sessions or messages that go
delete from transcripts.memory_sources
where space_id = %(space)s
    and (session_id = any(%(sessions)s::text[]) or message_id = any(%(messages)s::int8[]))

-- name: erase_summaries: titles of lines that go, or all
delete from transcripts.summaries
where space_id = %(space)s
    and (%(everything)s or leaf_uuid in (
        select uuid from transcripts.lines where space_id = %(space)s and session_id = any(%(numbers)s::int8[])))

-- name: erase_files: how far files were read, where nothing is left of what was read
delete from transcripts.files where space_id = %(space)s and %(everything)s

-- name: erase_sessions: take out what is known of sessions besides what was said; lines take the rest with them
with lines as (
    delete from transcripts.lines where space_id = %(space)s and session_id = any(%(numbers)s::int8[])
), extractions as (
    delete from transcripts.extractions where space_id = %(space)s and session_id = any(%(numbers)s::int8[])
)
delete from transcripts.session_details where space_id = %(space)s and session_id = any(%(numbers)s::int8[])

-- name: erase_repetitions: what was said stands also as the first or last prompt of its session, and as it was queued
with said as materialized (
    select session_id, content from core.messages where space_id = %(space)s and id = any(%(messages)s::int8[])
), queued as (
    delete from transcripts.lines l using said
    where l.space_id = %(space)s and l.session_id = said.session_id and l.message_id is null
        and l.content_text = said.content
), typed as (
    delete from transcripts.prompts p using said
    where p.space_id = %(space)s and p.content = said.content
)
update transcripts.session_details d set
    first_prompt = case when d.first_prompt = said.content then null else d.first_prompt end,
    last_prompt = case when d.last_prompt = said.content then null else d.last_prompt end
from said
where d.space_id = %(space)s and d.session_id = said.session_id
    and (d.first_prompt = said.content or d.last_prompt = said.content)

-- name: lines_to_go: session and uuid of lines that go without a message: of sessions, and what was queued before it was said
with gone as (
    select l.session_id, l.uuid from transcripts.lines l
    where l.space_id = %(space)s and l.session_id = any(%(numbers)s::int8[])
    union
    select l.session_id, l.uuid from core.messages m
    join transcripts.lines l on l.space_id = m.space_id and l.session_id = m.session_id and l.content_text = m.content
    where m.space_id = %(space)s and m.id = any(%(messages)s::int8[]) and l.message_id is null
)
select s.name, g.uuid from gone g join core.sessions s on s.space_id = %(space)s and s.id = g.session_id

-- name: prompts_to_go: words of prompts that go without their session
select '', content from transcripts.prompts
where space_id = %(space)s and (%(everything)s and session is null
    or content in (select content from core.messages where space_id = %(space)s and id = any(%(messages)s::int8[])))

-- name: prompting_sessions: sessions of which prompts are known
select distinct '', session from transcripts.prompts where space_id = %(space)s and session is not null

-- name: erase_prompts: prompts of the history that belong to sessions that go, or all
delete from transcripts.prompts
where space_id = %(space)s and (%(everything)s or session = any(%(sessions)s::text[]))

-- name: erase_teams: teams, with members and tasks
delete from transcripts.teams where space_id = %(space)s
    and (%(everything)s or lead_session_id = any(%(sessions)s::text[]))

-- name: wordings: wordings of memories that have a source in sessions which lose messages, one row a wording and source
--
-- edit is the id of an earlier wording, null of the present one.
with concerned as materialized (
    select distinct o.memory_id as id from transcripts.memory_sources o
    left join core.sessions s on s.space_id = o.space_id and s.name = o.session_id
    where o.space_id = %(space)s and o.memory_id <> all(%(doomed)s::uuid[])
        and (o.session_id = any(%(sessions)s::text[])
            or s.id in (select g.gone >> 24 from unnest(%(messages)s::int8[]) as g (gone)))
)
select m.id as lesson, m.entry_id as entry, w.edit, w.text, o.session_id as session, o.message_id as message, o.excerpt,
    o.session_id = any(%(sessions)s::text[]) or coalesce(o.message_id = any(%(messages)s::int8[]), false) as goes
from concerned c
join transcripts.memories m on m.space_id = %(space)s and m.id = c.id
cross join lateral (
    select null::bigint as edit, m.fact as text
    union all
    select e.id, e.fact from transcripts.memory_edits e where e.space_id = %(space)s and e.memory_id = m.id
) w
join transcripts.memory_sources o on o.space_id = %(space)s and o.memory_id = m.id
order by m.id, w.edit nulls first

-- name: said_in: what was said in sessions
select s.name, m.id, m.content from core.messages m
join core.sessions s on s.space_id = m.space_id and s.id = m.session_id
where m.space_id = %(space)s and s.name = any(%(sessions)s::text[])

-- name: erase_edits: earlier wordings of memories that stay
delete from transcripts.memory_edits where space_id = %(space)s and id = any(%(edits)s::int8[])

-- name: unread: sessions are to be read again, by whatever extractor read them
update transcripts.extractions x set status = 'none'
from core.sessions s
where x.space_id = %(space)s and s.space_id = x.space_id and s.id = x.session_id
    and s.name = any(%(sessions)s::text[]) and x.extractor <> 'manual'
