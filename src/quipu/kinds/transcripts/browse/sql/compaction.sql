-- name: bulky: outputs that are old and long, and were not replaced yet: their length by tool, without their text
select r.session_id, r.tool_call_id, c.tool_name, octet_length(r.content) as size_bytes, c.path,
    left(r.content, %(kept)s) as beginning
from transcripts.tool_results r
join transcripts.tool_calls c on c.space_id = r.space_id and c.session_id = r.session_id and c.id = r.tool_call_id
join transcripts.session_details d on d.space_id = r.space_id and d.session_id = r.session_id
where r.space_id = %(space)s and r.compacted_at is null and r.happened_at < %(before)s
    and (%(project)s::text is null or strpos(lower(d.project_path), lower(%(project)s::text)) > 0)
    and c.tool_name = any(%(tools)s::text[]) and octet_length(r.content) > %(least)s
    and (r.session_id, r.tool_call_id) > (%(after_session)s::int8, %(after_call)s::text)
order by r.session_id, r.tool_call_id
limit %(limit)s

-- name: replace: put markers in the place of outputs
update transcripts.tool_results r
set content = m.marker, compacted_bytes = m.size_bytes, compacted_at = %(now)s
from unnest(%(sessions)s::int8[], %(calls)s::text[], %(markers)s::text[], %(sizes)s::int8[])
    as m (session_id, call_id, marker, size_bytes)
where r.space_id = %(space)s and r.session_id = m.session_id and r.tool_call_id = m.call_id and r.compacted_at is null
