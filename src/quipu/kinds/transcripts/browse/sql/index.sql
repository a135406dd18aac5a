-- name: open_indexing: the row of a space that says how far its index is
insert into transcripts.indexing (space_id) values (%(space)s) on conflict do nothing

-- name: hold_indexing: the same row, held until the end of the transaction; nothing where somebody else holds it
select indexed_to, settled_to from transcripts.indexing where space_id = %(space)s for update skip locked

-- name: alone: whether nobody writes to the space now, and nobody does until the end of the transaction
select pg_try_advisory_xact_lock(hashtextextended(%(space_name)s::text, 7310522003))

-- name: settle: note the last line there is, when nobody writes
update transcripts.indexing
set settled_to = greatest(settled_to,
    coalesce((select max(id) from transcripts.lines where space_id = %(space)s), 0))
where space_id = %(space)s

-- name: changed_lines: lines whose text changed, taken from the list
delete from transcripts.unindexed
where space_id = %(space)s and line_id in (
    select line_id from transcripts.unindexed where space_id = %(space)s order by line_id limit %(limit)s for update)
returning line_id

-- name: next_lines: the ids of the next lines that have no texts in the index yet
select id from transcripts.lines
where space_id = %(space)s and id > %(after)s and id <= %(to)s
order by id limit %(limit)s

-- name: texts: the texts of lines as they are now
select t.line_id, t.part, t.call_id, t.session_id, t.role, t.tool_name, t.is_error, t.happened_at,
    left(t.content, %(characters)s) as content
from unnest(%(lines)s::int8[]) as l (id)
cross join lateral transcripts.texts_of(%(space)s, l.id) t
where t.content <> ''

-- name: add_texts: put texts into the index; of a line that was there before, in place of the old ones
insert into transcripts.texts (space_id, line_id, part, call_id, session_id, role, tool_name, is_error, happened_at,
    words, weight, terms)
select %(space)s, * from unnest(%(lines)s::int8[], %(parts)s::text[], %(calls)s::text[], %(sessions)s::int8[],
    %(roles)s::text[], %(tools)s::text[], %(errors)s::bool[], %(times)s::timestamptz[], %(words)s::int4[],
    %(weights)s::float4[], %(terms)s::tsvector[])
on conflict (space_id, line_id, part, call_id) do update
set role = excluded.role, tool_name = excluded.tool_name, is_error = excluded.is_error, words = excluded.words,
    weight = excluded.weight, terms = excluded.terms

-- name: indexed_to: note how far the index is
update transcripts.indexing set indexed_to = greatest(indexed_to, %(to)s) where space_id = %(space)s

-- name: is_behind: whether there are lines that have no texts in the index yet, or old ones
select coalesce((select max(id) from transcripts.lines where space_id = %(space)s), 0)
        > coalesce((select indexed_to from transcripts.indexing where space_id = %(space)s), 0)
    or exists (select from transcripts.unindexed where space_id = %(space)s)

-- name: count_unindexed: how many lines those are
with mark as materialized (
    select coalesce((select indexed_to from transcripts.indexing where space_id = %(space)s), 0) as indexed_to
)
select
    (select count(*) from (
        select id from transcripts.lines
        where space_id = %(space)s and id > (select indexed_to from mark) order by id limit 1000000000) later)
    + (select count(*) from transcripts.unindexed
        where space_id = %(space)s and line_id <= (select indexed_to from mark))

-- name: sort_in: sort in what was put into the index lately
select transcripts.settle_texts()
