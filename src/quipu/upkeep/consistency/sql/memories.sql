-- name: lessons_that_cannot_be_found: an active lesson has its entry, or its space says that it waits to be filed
select m.id::text as what
from transcripts.memories m
join core.spaces s on s.id = m.space_id
left join core.recall_entries e on e.space_id = m.space_id and e.id = m.entry_id
where m.space_id = %(space)s
    and case when m.status = 'active' and (m.entry_id is not null or s.unfiled & 4 = 0)
        then (e.source_table, e.source_id, e.content) is distinct from ('memories', m.id::text, m.fact)
        else m.entry_id is not null end
order by m.id

-- name: entries_of_no_lesson: no entry is left of a lesson that is gone or says something else
select e.id::text as what
from core.recall_entries e
where e.space_id = %(space)s and e.kind = (select code from core.recall_kinds where name = 'transcripts')
    and not exists (select from transcripts.memories m where m.space_id = e.space_id and m.entry_id = e.id)
order by e.id

-- name: longterm_memories_that_cannot_be_found: a live memory has its entry, or its space says that it waits to be filed
select m.id::text as what
from longterm.long_term_memory m
join core.spaces s on s.id = m.space_id
left join core.recall_entries e on e.space_id = m.space_id and e.id = m.entry_id
left join core.recall_names owner on owner.space_id = e.space_id and owner.id = e.owner
where m.space_id = %(space)s
    and case when not m.archived and (m.entry_id is not null or s.unfiled & 16 = 0)
        then (e.source_table, e.source_id, e.happened_at, owner.name)
            is distinct from ('long_term_memory', m.id::text, m.happened_at, m.user_name)
        else m.entry_id is not null end
order by m.id

-- name: entries_of_no_longterm_memory: no entry is left of a memory that is gone, was archived or says something else
select e.id::text as what
from core.recall_entries e
where e.space_id = %(space)s and e.kind = (select code from core.recall_kinds where name = 'longterm')
    and not exists (select from longterm.long_term_memory m where m.space_id = e.space_id and m.entry_id = e.id)
order by e.id
