-- name: derived: memories as statements that were derived from messages, by ids or messages
select 'longterm' as kind, m.id, m.summary as text, o.rule, o.reader, o.messages, not m.archived as live
from longterm.long_term_memory m
cross join lateral (
    select coalesce(array_agg(distinct s.message_id) filter (where s.message_id is not null), '{}') as messages,
        coalesce((array_agg(s.rule order by s.id desc) filter (where s.rule is not null))[1], 'unknown') as rule,
        coalesce((array_agg(s.evaluator order by s.id desc) filter (where s.evaluator is not null))[1], '') as reader
    from longterm.sources s
    where s.space_id = m.space_id and s.memory_id = m.id and s.version = m.version
) o
where m.space_id = %(space)s
    and (%(ids)s::uuid[] is null or m.id = any(%(ids)s))
    and (%(messages)s::int8[] is null or m.id in (
        select s.memory_id from longterm.sources s
        where s.space_id = %(space)s and s.message_id = any(%(messages)s)))

-- name: count_of_rule: how many memories a rule made
select count(distinct memory_id) from longterm.sources where space_id = %(space)s and rule = %(rule)s
