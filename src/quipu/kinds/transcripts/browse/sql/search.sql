-- name: matching: texts that have the words, from the index, the best or the latest first
select line_id, part, call_id, session_id, role, tool_name, is_error, happened_at, words, found as total
from transcripts.matching(%(asked)s::text::tsquery, %(parts)s, %(sessions)s::int8[], %(roles)s, %(tools)s, %(errors)s,
    %(since)s, %(until)s, %(filter)s::jsonpath, %(sorted)s, %(most)s)

-- name: unindexed_matching: the same of lines that the index does not know yet, the latest first
--
-- Texts with other letters than ASCII are all handed out: only the reader folds them as the index does.
with mark as materialized (
    select coalesce((select indexed_to from transcripts.indexing where space_id = %(space)s), 0) as indexed_to
),
tail as materialized (
    select l.id from transcripts.lines l
    where l.space_id = %(space)s and l.id > (select indexed_to from mark)
    union
    select u.line_id from transcripts.unindexed u where u.space_id = %(space)s
)
select t.line_id, t.part, t.call_id, t.session_id, t.role, t.tool_name, t.is_error, t.happened_at,
    left(t.content, %(characters)s) as content
from tail
cross join lateral transcripts.texts_of(%(space)s, tail.id) t
where (%(parts)s::text[] is null or t.part = any(%(parts)s::text[]))
    and (%(sessions)s::int8[] is null or t.session_id = any(%(sessions)s::int8[]))
    and (%(roles)s::text[] is null or t.role = any(%(roles)s::text[]))
    and (%(tools)s::text[] is null or t.tool_name = any(%(tools)s::text[]))
    and (not %(errors)s or t.is_error)
    and (%(since)s::timestamptz is null or t.happened_at >= %(since)s::timestamptz)
    and (%(until)s::timestamptz is null or t.happened_at < %(until)s::timestamptz)
    and (%(filter)s::jsonpath is null or transcripts.about(%(space)s, t.line_id) @@ %(filter)s::jsonpath)
    and (octet_length(t.content) <> char_length(t.content) or lower(t.content) like all(%(needles)s::text[]))
order by t.happened_at desc, t.line_id desc
limit %(limit)s

-- name: contents: the texts that were found
select a.line_id, a.part, a.call_id, left(t.content, %(characters)s) as content
from unnest(%(lines)s::int8[], %(parts)s::text[], %(calls)s::text[]) as a (line_id, part, call_id)
cross join lateral transcripts.texts_of(%(space)s, a.line_id) t
where t.part = a.part and t.call_id = a.call_id

-- name: messages_about: the messages of lines that a filter lets through
select l.message_id from transcripts.lines l
where l.space_id = %(space)s and l.message_id is not null
    and transcripts.about(l.space_id, l.id) @@ %(filter)s::jsonpath

-- name: places: where lines stand
select l.id as line_id, l.uuid, s.name as session, coalesce(d.project_path, '') as project_path,
    coalesce(d.custom_title, d.ai_title, d.summary, left(d.first_prompt, 200)) as title
from unnest(%(lines)s::int8[]) as a (id)
join transcripts.lines l on l.space_id = %(space)s and l.id = a.id
join core.sessions s on s.space_id = l.space_id and s.id = l.session_id
left join transcripts.session_details d on d.space_id = l.space_id and d.session_id = l.session_id

-- name: sessions_of: the numbers of sessions of a project and with a name that begins so
select s.id from core.sessions s
join transcripts.session_details d on d.space_id = s.space_id and d.session_id = s.id
where s.space_id = %(space)s
    and (%(project)s::text is null or strpos(lower(d.project_path), lower(%(project)s::text)) > 0)
    and (%(session)s::text is null or starts_with(s.name, %(session)s::text))

-- name: lines_of_messages: the lines that hold messages of the record
select l.id as line_id, l.message_id, l.session_id
from unnest(%(messages)s::int8[]) as a (id)
join transcripts.lines l on l.space_id = %(space)s and l.message_id = a.id

-- name: window: the messages around a line in its session: what was said, and names of tools where nothing was
with middle as (
    select l.session_id, l.happened_at, l.id
    from core.sessions s
    join transcripts.lines l on l.space_id = s.space_id and l.session_id = s.id and l.uuid = %(uuid)s
    where s.space_id = %(space)s and s.name = %(session)s
),
around as (
    (
        select l.id, l.uuid, l.type, l.happened_at, l.message_id, l.content_text, l.thinking
        from middle
        join transcripts.lines l on l.space_id = %(space)s and l.session_id = middle.session_id
            and (l.happened_at, l.id) < (middle.happened_at, middle.id)
        where l.type in ('user', 'assistant') and not l.is_meta and not l.is_noise
            and (l.message_id is not null or exists (
                select from transcripts.tool_calls c where c.space_id = l.space_id and c.line_id = l.id))
        order by l.happened_at desc, l.id desc limit %(turns)s
    )
    union all
    (
        select l.id, l.uuid, l.type, l.happened_at, l.message_id, l.content_text, l.thinking
        from middle
        join transcripts.lines l on l.space_id = %(space)s and l.session_id = middle.session_id
            and (l.happened_at, l.id) >= (middle.happened_at, middle.id)
        where l.id = middle.id or (l.type in ('user', 'assistant') and not l.is_meta and not l.is_noise
            and (l.message_id is not null or exists (
                select from transcripts.tool_calls c where c.space_id = l.space_id and c.line_id = l.id)))
        order by l.happened_at, l.id limit %(turns)s + 1
    )
)
select a.uuid, a.type as role, a.happened_at as "timestamp",
    coalesce(m.content, a.content_text) as content_text, a.thinking,
    (select array_agg(c.tool_name order by c.happened_at, c.id) from transcripts.tool_calls c
        where c.space_id = %(space)s and c.line_id = a.id) as tools
from around a
left join core.messages m on m.space_id = %(space)s and m.id = a.message_id
order by a.happened_at, a.id
