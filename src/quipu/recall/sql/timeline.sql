-- name: timeline: entries in the order of time behind a place, with how many there are and how many stand before
with held as materialized (
    select id, kind, happened_at
    from core.recall_entries
    where space_id = %(space)s
      and id between %(first)s and %(last)s
      and happened_at >= %(since)s and happened_at < %(until)s
      and (%(kinds)s::int4[] is null or kind = any(%(kinds)s::int4[]))
      and (%(ids)s::int8[] is null or id in (select unnest(%(ids)s::int8[])))
      and (%(owner)s::int4 is null or owner = %(owner)s::int4)
      and (%(speaker)s::text is null
           or %(speaker)s = 'user' and by_user
           or %(speaker)s = 'assistant' and not by_user
           or speaker in (
               select id from core.recall_names where space_id = %(space)s and lower(name) = lower(%(speaker)s)
           ))
)
select id, kind, happened_at, (select count(*) from held) as total,
       (select count(*) from held where (happened_at, id) <= (%(time)s::timestamptz, %(place)s::int8)) as before
from held
where (happened_at, id) > (%(time)s::timestamptz, %(place)s::int8)
order by happened_at, id
limit %(limit)s
