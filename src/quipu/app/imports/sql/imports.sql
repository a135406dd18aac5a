-- name: known: records that were brought already: what they became, and from what
select o.kind, o.source_id, coalesce(o.message_id::text, o.target_id::text), o.digest
from unnest(%(kinds)s::text[], %(ids)s::text[]) as g (kind, source_id)
join core.origins o on o.space_id = %(space)s and o.source = %(source)s and o.kind = g.kind
    and o.source_id = g.source_id

-- name: changed_here: records of which what they became was changed here since, and whether it was taken out
select c.kind, c.source_id, c.gone
from (
    select o.kind, o.source_id, m.archived as gone,
        exists (
            select from longterm.history h
            where h.space_id = o.space_id and h.memory_id = m.id and h.act in ('edit', 'revert') and h.changed_by <> %(by)s
        ) as changed
    from unnest(%(kinds)s::text[], %(ids)s::text[]) as g (kind, source_id)
    join core.origins o on o.space_id = %(space)s and o.source = %(source)s and o.kind = 'memory'
        and o.kind = g.kind and o.source_id = g.source_id
    join longterm.long_term_memory m on m.space_id = o.space_id and m.id = o.target_id
    union all
    select o.kind, o.source_id, m.status = 'archived', m.edited_at is not null
    from unnest(%(kinds)s::text[], %(ids)s::text[]) as g (kind, source_id)
    join core.origins o on o.space_id = %(space)s and o.source = %(source)s and o.kind = 'lesson'
        and o.kind = g.kind and o.source_id = g.source_id
    join transcripts.memories m on m.space_id = o.space_id and m.id = o.target_id
    union all
    select o.kind, o.source_id, d.id is null, d.written_by is distinct from o.source
    from unnest(%(kinds)s::text[], %(ids)s::text[]) as g (kind, source_id)
    join core.origins o on o.space_id = %(space)s and o.source = %(source)s and o.kind = 'document'
        and o.kind = g.kind and o.source_id = g.source_id
    left join documents.documents d on d.space_id = o.space_id and d.id = o.target_id
) c
where c.gone or c.changed

-- name: unended: an import of the same that was cut off
select id::text from core.imports
where space_id = %(space)s and source = %(source)s and sha256 = %(sha256)s and ended_at is null
order by begun_at desc limit 1

-- name: begin: note that an import began, once
insert into core.imports (space_id, id, source, version, label, sha256, begun_at)
values (%(space)s, %(id)s, %(source)s, %(version)s, %(label)s, %(sha256)s, %(now)s)
on conflict do nothing

-- name: end: note that all of an import is there, and what was told of it
update core.imports set ended_at = %(now)s, version = coalesce(%(version)s, version), told = %(told)s
where space_id = %(space)s and id = %(id)s

-- name: note_origins: note where records came from
insert into core.origins (space_id, import_id, source, kind, source_id, target_id, digest, raw)
select %(space)s, %(import)s, %(source)s, g.kind, g.source_id, g.target_id, decode(g.digest, 'hex'), g.raw
from jsonb_to_recordset(%(origins)s::jsonb) as g (kind text, source_id text, target_id uuid, digest text, raw jsonb)

-- name: note_messages: note where messages came from
insert into core.origins (space_id, import_id, source, kind, source_id, message_id, digest, raw)
select %(space)s, %(import)s, %(source)s, 'message', g.source_id, m.id, decode(g.digest, 'hex'), g.raw
from jsonb_to_recordset(%(origins)s::jsonb) as g (source_id text, session text, id text, digest text, raw jsonb)
join core.sessions s on s.space_id = %(space)s and s.name = g.session
join core.messages m on m.space_id = %(space)s and m.session_id = s.id and m.external_id = g.id
on conflict (space_id, source, kind, source_id) do nothing

-- name: note_change: note what a record is now in the system that it came from
update core.origins o set digest = decode(g.digest, 'hex'), raw = g.raw
from jsonb_to_recordset(%(origins)s::jsonb) as g (kind text, source_id text, digest text, raw jsonb)
where o.space_id = %(space)s and o.source = %(source)s and o.kind = g.kind and o.source_id = g.source_id

-- name: bring_memories: memories that another system had
--
-- Where a live one says so already, that one stays; if it ended, and this one goes on, it holds as long.
insert into longterm.long_term_memory as m (space_id, id, category, importance, summary, details, hash, source,
    created_at, updated_at, user_name, session, happened_at, metadata, valid_from, valid_until, told_until)
select %(space)s, g.id, g.category, g.importance::longterm.importance, g.summary, g.details, g.hash, g.source, %(now)s,
    %(now)s, g.user_name, g.session, g.happened_at, g.metadata, g.valid_from, g.valid_until, g.valid_until
from jsonb_to_recordset(%(memories)s::jsonb) as g (id uuid, category text, importance text, summary text, details text,
    hash text, source text, user_name text, session text, happened_at timestamptz, metadata jsonb,
    valid_from timestamptz, valid_until timestamptz)
on conflict (space_id, user_name, hash) where not archived do update
set valid_from = least(m.valid_from, excluded.valid_from), valid_until = excluded.valid_until,
    told_until = excluded.told_until
where m.valid_until < coalesce(excluded.valid_until, 'infinity')
returning m.id::text

-- name: bring_sources: the words that memories rest on as they read now, by session and id
insert into longterm.sources (space_id, memory_id, version, session, message, message_id, excerpt, evaluator, happened_at,
    created_at)
select %(space)s, t.id, t.version, s.name, m.external_id, m.id, left(m.content, 1000), %(by)s::text, m.happened_at, %(now)s
from jsonb_to_recordset(%(sources)s::jsonb) as g (memory_id uuid, source_id text)
join longterm.long_term_memory t on t.space_id = %(space)s and t.id = g.memory_id
join core.origins o on o.space_id = %(space)s and o.source = %(source)s and o.kind = 'message'
    and o.source_id = g.source_id
join core.messages m on m.space_id = %(space)s and m.id = o.message_id
join core.sessions s on s.space_id = %(space)s and s.id = m.session_id
on conflict do nothing

-- name: bring_lessons: lessons that another system had; those that an active one says already are left out
insert into transcripts.memories (space_id, id, session_id, fact, category, confidence, created_at, updated_at, origin,
    project_path, normal_form, happened_at, metadata, valid_from, valid_until, told_until)
select %(space)s, g.id, (select s.name from core.sessions s where s.space_id = %(space)s and s.name = g.session), g.fact, g.category, g.confidence, %(now)s, %(now)s, 'imported', g.project,
    decode(g.form, 'hex'), g.happened_at, g.metadata, g.valid_from, g.valid_until, g.valid_until
from jsonb_to_recordset(%(memories)s::jsonb) as g (id uuid, session text, fact text, category text, confidence float4,
    project text, form text, happened_at timestamptz, metadata jsonb, valid_from timestamptz, valid_until timestamptz)
on conflict do nothing
returning id::text

-- name: hold_memory: since when and how long a memory holds, and what is known of it, as its source says now
update longterm.long_term_memory
set valid_from = %(valid_from)s, told_until = %(valid_until)s, valid_until = %(valid_until)s,
    metadata = metadata || %(metadata)s::jsonb
where space_id = %(space)s and id = %(id)s::uuid

-- name: hold_lesson: since when and how long a lesson holds, as its source says now, and that no person changed it
update transcripts.memories
set valid_from = %(valid_from)s, told_until = %(valid_until)s, valid_until = %(valid_until)s, edited_at = null,
    metadata = metadata || %(metadata)s::jsonb
where space_id = %(space)s and id = %(id)s::uuid

-- name: bring_loops: what is left open, by the message that says so
insert into episodes.loops (space_id, id, kind, content, by_whom, user_name, session_id, message_id, said_at, due_at)
select %(space)s, g.id, 'task', left(m.content, 2000), coalesce(m.speaker, m.user_name, m.role), m.user_name,
    m.session_id, m.id, m.happened_at, g.due
from jsonb_to_recordset(%(loops)s::jsonb) as g (id uuid, source_id text, due timestamptz)
join core.origins o on o.space_id = %(space)s and o.source = %(source)s and o.kind = 'message'
    and o.source_id = g.source_id
join core.messages m on m.space_id = %(space)s and m.id = o.message_id
returning id::text

-- name: bring_loop_messages: the messages that loops rest on
insert into episodes.loop_messages (space_id, loop_id, message_id)
select l.space_id, l.id, l.message_id from episodes.loops l
where l.space_id = %(space)s and l.id = any(%(ids)s::uuid[])

-- name: standing_documents: places that are taken, by a document that did not come from there
select g.place, g.key
from unnest(%(places)s::text[], %(keys)s::text[]) as g (place, key)
join documents.documents d on d.space_id = %(space)s and d.place = g.place and d.key = g.key

-- name: bring_versions: what documents said before
insert into documents.versions (space_id, document_id, version, place, key, value, body, metadata, user_name,
    index_paths, sha256, created_at, written_at, ended_at, ended_by)
select d.space_id, d.id, g.version, d.place, d.key, nullif(g.value, 'null'), g.body, g.metadata, d.user_name,
    d.index_paths, documents.digest(nullif(g.value, 'null'), g.body), d.created_at, g.written_at, g.ended_at, 'change'
from jsonb_to_recordset(%(versions)s::jsonb) as g (id uuid, version int4, value jsonb, body text, metadata jsonb,
    written_at timestamptz, ended_at timestamptz)
join documents.documents d on d.space_id = %(space)s and d.id = g.id

-- name: date_documents: when documents were written and changed, and when they expire
update documents.documents d
set created_at = g.created_at, updated_at = g.updated_at, expires_at = g.expires_at, ttl_seconds = g.ttl_seconds,
    version = g.version
from jsonb_to_recordset(%(documents)s::jsonb) as g (id uuid, created_at timestamptz, updated_at timestamptz,
    expires_at timestamptz, ttl_seconds float8, version int4)
where d.space_id = %(space)s and d.id = g.id

-- name: date_passages: have passages be of when their documents were changed
update documents.passages p set happened_at = d.updated_at
from documents.documents d
where p.space_id = %(space)s and d.space_id = p.space_id and d.id = p.document_id and d.id = any(%(ids)s::uuid[])
    and p.happened_at is distinct from d.updated_at

-- name: numbers: messages by their ids at the source
select source_id, message_id from core.origins
where space_id = %(space)s and source = %(source)s and kind = 'message' and source_id = any(%(ids)s::text[])

-- name: list: imports, the latest first, with how many records of each kind are there of them
select i.id::text, i.source, i.version, i.label, i.sha256, i.begun_at, i.ended_at, i.told,
    coalesce((select jsonb_object_agg(n.kind, n.count) from (
        select o.kind, count(*) as count from core.origins o
        where o.space_id = i.space_id and o.import_id = i.id group by o.kind
    ) n), '{}') as records
from core.imports i
where i.space_id = %(space)s and (%(id)s::uuid is null or i.id = %(id)s::uuid)
order by i.begun_at desc, i.id limit %(limit)s offset %(offset)s

-- name: origins: records of an import
select o.kind, o.source_id, coalesce(o.message_id::text, o.target_id::text) as target, o.raw
from core.origins o
where o.space_id = %(space)s and o.import_id = %(id)s::uuid
order by o.id limit %(limit)s offset %(offset)s

-- name: origin_of: where a record came from, by its entry in the index or its id
with found as (
    select o.* from core.origins o
    where o.space_id = %(space)s and o.message_id = %(entry)s::int8
    union all
    select o.* from core.origins o
    where o.space_id = %(space)s and o.target_id in (
        select %(id)s::uuid where %(id)s::uuid is not null
        union all
        select id from longterm.long_term_memory where space_id = %(space)s and entry_id = %(entry)s::int8
        union all
        select id from transcripts.memories where space_id = %(space)s and entry_id = %(entry)s::int8
        union all
        select document_id from documents.passages where space_id = %(space)s and entry_id = %(entry)s::int8)
)
select o.kind, o.source_id, coalesce(o.message_id::text, o.target_id::text) as target, o.raw, i.source, i.version,
    i.label, i.sha256, i.id::text as import_id, i.begun_at as brought_at
from found o
join core.imports i on i.space_id = o.space_id and i.id = o.import_id
limit 1

-- name: undo_whole_sessions: sessions of which an import brought every message
select s.name from core.sessions s
where s.space_id = %(space)s and s.id in (
    select m.session_id from core.origins o
    join core.messages m on m.space_id = o.space_id and m.id = o.message_id
    where o.space_id = %(space)s and o.import_id = %(id)s::uuid)
    and not exists (
        select from core.messages m
        where m.space_id = s.space_id and m.session_id = s.id and not exists (
            select from core.origins o
            where o.space_id = m.space_id and o.message_id = m.id and o.import_id = %(id)s::uuid))
order by s.id

-- name: undo_messages: messages that an import brought into sessions of others
select s.name, m.external_id
from core.origins o
join core.messages m on m.space_id = o.space_id and m.id = o.message_id
join core.sessions s on s.space_id = m.space_id and s.id = m.session_id
where o.space_id = %(space)s and o.import_id = %(id)s::uuid
order by m.id

-- name: undo_targets: what an import made of a kind
select target_id::text from core.origins
where space_id = %(space)s and import_id = %(id)s::uuid and kind = %(kind)s and target_id is not null

-- name: undo_memories: take memories out
delete from longterm.long_term_memory where space_id = %(space)s and id = any(%(ids)s::uuid[]) returning entry_id

-- name: undo_lessons: take lessons out
delete from transcripts.memories where space_id = %(space)s and id = any(%(ids)s::uuid[]) returning entry_id

-- name: undo_loops: take loops out
delete from episodes.loops where space_id = %(space)s and id = any(%(ids)s::uuid[])

-- name: undo: take the note of an import out
delete from core.imports where space_id = %(space)s and id = %(id)s::uuid
