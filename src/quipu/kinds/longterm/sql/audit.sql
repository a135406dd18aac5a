-- name: note: a line of the audit
insert into longterm.audit (space_id, at, act, outcome, trouble, user_name, session, message, evaluator, took_ms, tokens,
    counts)
values (%(space)s, %(at)s, %(act)s, %(outcome)s, %(trouble)s, %(user)s, %(session)s, %(message)s, %(evaluator)s,
    %(took_ms)s, %(tokens)s, %(counts)s)
returning id

-- name: note_memories: what a line is about; memories that are gone by now are left out
insert into longterm.audit_memories (space_id, audit_id, place, memory_id, action, score, parts, reason)
select %(space)s, %(line)s, t.place - 1, t.memory_id, t.action, t.score, t.parts, t.reason
from unnest(%(ids)s::uuid[], %(actions)s::text[], %(scores)s::real[], %(parts)s::jsonb[], %(reasons)s::text[])
    with ordinality as t (memory_id, action, score, parts, reason, place)
where exists (select from longterm.long_term_memory m where m.space_id = %(space)s and m.id = t.memory_id)

-- name: lines: lines of the audit, the latest first
select id, at, act, outcome, trouble, user_name as "user", session, message, evaluator, took_ms, tokens, counts
from longterm.audit
where space_id = %(space)s
    and (%(act)s::text is null or act = %(act)s)
    and (%(user)s::text is null or user_name = %(user)s)
    and (%(session)s::text is null or session = %(session)s)
    and (%(since)s::timestamptz is null or at >= %(since)s)
order by id desc
limit %(limit)s

-- name: lines_memories: what lines are about, each in its order
select audit_id as line, memory_id::text as id, action, score, parts, reason
from longterm.audit_memories
where space_id = %(space)s and audit_id = any(%(lines)s::int8[])
order by audit_id, place

-- name: prune_audit: lines that are older than they are to be
delete from longterm.audit where space_id = %(space)s and at < %(before)s
