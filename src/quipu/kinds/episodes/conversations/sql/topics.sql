-- name: of_topic: what was said in the latest exchanges of a topic, those messages aside that go
select left(m.content, 20000) as content, halfvec_send(coalesce(v.own, v.context)) as vector, t.user_name, e.of_all,
    e.last_at
from episodes.topics t
cross join lateral (
    select x.first_message, x.last_message, count(*) over () as of_all, max(x.ended_at) over () as last_at
    from episodes.exchanges x
    where x.space_id = %(space)s and x.topic_id = t.id
    order by x.id desc limit 20
) e
join core.messages m on m.space_id = %(space)s and m.id between e.first_message and e.last_message
    and m.role in ('user', 'assistant', 'tool') and m.content <> '' and m.id <> all(%(gone)s::int8[])
left join core.recall_vectors v on v.space_id = %(space)s and v.generation = %(generation)s::smallint and v.entry_id = m.id
where t.space_id = %(space)s and t.id = %(topic)s
order by m.id

-- name: names_of_others: the names of a person's other topics
select name from episodes.topics where space_id = %(space)s and user_name = %(user)s and id <> %(topic)s

-- name: remake_topic: a topic with other words
update episodes.topics set
    name = %(name)s, words = %(words)s, centroid = %(centroid)s, generation = %(generation)s::smallint,
    messages = %(messages)s, last_at = %(last_at)s
where space_id = %(space)s and id = %(topic)s
