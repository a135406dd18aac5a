-- name: in_force: the rules in force of some people, and of the whole space, the latest first
select id, user_name as "user", text, scope, message_id as message, since
from core.standing_rules
where space_id = (select core.current_space()) and ended_at is null
    and (%(every)s or user_name is null or user_name = any(%(users)s::text[]))
order by since desc, id desc
limit %(limit)s

-- name: add: keep a rule
insert into core.standing_rules (space_id, id, user_name, message_id, text, scope, made_by, since, created_at, ended_at,
    ended_by, ended_in)
values (%(space)s, %(id)s, %(user)s, %(message)s, %(text)s, %(scope)s, %(made_by)s, %(since)s, %(now)s, %(ended_at)s,
    case when %(ended_at)s::timestamptz is not null then 'rule' end, %(ended_in)s)

-- name: end: end rules that are in force
update core.standing_rules set ended_at = %(at)s, ended_by = %(ended_by)s, ended_in = %(message)s
where space_id = %(space)s and id = any(%(ids)s::uuid[]) and ended_at is null

-- name: begin_again: a rule that was ended is in force again
update core.standing_rules set ended_at = null, ended_by = null, ended_in = null
where space_id = %(space)s and id = %(id)s and ended_at is not null

-- name: erase: take a rule out for good
delete from core.standing_rules where space_id = %(space)s and id = %(id)s

-- name: erase_of_person: take out what was added by hand for a person; the others go with their messages
delete from core.standing_rules where space_id = %(space)s and user_name = %(user)s

-- name: count_of_erasure: rules that go with messages, or with a person
select count(*) from core.standing_rules
where space_id = %(space)s
    and (%(everything)s or message_id = any(%(messages)s::int8[]) or user_name = %(user)s::text)

-- name: rules: rules by their ids
select r.id, r.user_name as "user", r.text, r.scope, m.external_id as message, s.name as session, r.made_by, r.since,
    r.created_at, r.ended_at, r.ended_by, e.external_id as ended_in
from core.standing_rules r
left join core.messages m on m.space_id = r.space_id and m.id = r.message_id
left join core.sessions s on s.space_id = r.space_id and s.id = m.session_id
left join core.messages e on e.space_id = r.space_id and e.id = r.ended_in
where r.space_id = %(space)s and r.id = any(%(ids)s::uuid[])

-- name: listed: which rules there are, those in force first, the latest first, behind one of them
select id from core.standing_rules
where space_id = %(space)s
    and (%(archived)s::bool is null or (ended_at is not null) = %(archived)s)
    and (%(user)s::text is null or user_name = %(user)s)
    and (%(after)s::uuid is null
        or (ended_at is null, since, id) < (%(after_in_force)s::bool, %(after_since)s::timestamptz, %(after)s))
order by (ended_at is null) desc, since desc, id desc
limit %(limit)s offset %(offset)s

-- name: ids_like: rules whose id begins with some digits
select id from core.standing_rules where space_id = %(space)s and id::text like %(prefix)s order by id limit 2

-- name: sources: the message that a rule rests on, and the one that ended it
select m.external_id as message, s.name as session, m.happened_at as said_at, m.content as text,
    m.id is not distinct from r.ended_in and m.id is distinct from r.message_id as ends
from core.standing_rules r
join core.messages m on m.space_id = r.space_id and m.id in (r.message_id, r.ended_in)
left join core.sessions s on s.space_id = m.space_id and s.id = m.session_id
where r.space_id = %(space)s and r.id = %(id)s
order by m.happened_at desc, m.id desc

-- name: nearness: how near messages are to a vector: the cosine
select entry_id, -(coalesce(own, context) <#> %(vector)s)::float8 from core.recall_vectors
where space_id = %(space)s and generation = %(generation)s and entry_id = any(%(ids)s::int8[])

-- name: derived: rules as statements that were derived from messages, by ids or messages
select 'rule' as kind, id, text, 'standing' as rule, '' as reader,
    case when message_id is null then '{}'::int8[] else array[message_id] end as messages, ended_at is null as live
from core.standing_rules
where space_id = %(space)s
    and (%(ids)s::uuid[] is null or id = any(%(ids)s))
    and (%(messages)s::int8[] is null or message_id = any(%(messages)s))

-- name: count_of_rule: how many rules were found in messages
select count(*) from core.standing_rules
where space_id = %(space)s and message_id is not null and %(rule)s::text = 'standing'
