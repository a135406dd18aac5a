-- name: add_aliases: keep other names of people; those that are known stay as they are
insert into core.aliases (space_id, alias, name, made_by, message_id, created_at)
select %(space)s, a.alias, a.name, %(made_by)s::text, nullif(a.message, 0), %(now)s::timestamptz
from unnest(%(alias)s::text[], %(name)s::text[], %(message)s::int8[]) as a (alias, name, message)
on conflict do nothing

-- name: list_aliases: other names in order, a page of them
select a.alias, a.name, a.made_by, m.external_id as message, s.name as session, a.created_at
from core.aliases a
left join core.messages m on m.space_id = a.space_id and m.id = a.message_id
left join core.sessions s on s.space_id = m.space_id and s.id = m.session_id
where a.space_id = %(space)s
order by lower(a.alias), a.alias, a.name
limit %(limit)s offset %(offset)s

-- name: one_alias: another name in whatever capitals it is kept, the same ones first
select a.alias, a.name, a.made_by, m.external_id as message, s.name as session, a.created_at
from core.aliases a
left join core.messages m on m.space_id = a.space_id and m.id = a.message_id
left join core.sessions s on s.space_id = m.space_id and s.id = m.session_id
where a.space_id = %(space)s and lower(a.alias) = lower(%(alias)s) and lower(a.name) = lower(%(name)s)
order by a.alias = %(alias)s and a.name = %(name)s desc
limit 1

-- name: erase_alias: take another name away
delete from core.aliases where space_id = %(space)s and alias = %(alias)s and name = %(name)s

-- name: erase_aliases_of: take away all other names of a person, or of everybody
delete from core.aliases
where space_id = %(space)s
    and (%(everything)s or lower(name) = lower(%(user)s::text) or lower(alias) = lower(%(user)s::text))

-- name: count_aliases: other names that go with messages or with a person
select count(*) from core.aliases
where space_id = %(space)s and (%(everything)s or message_id = any(%(ids)s::int8[])
    or lower(name) = lower(%(user)s::text) or lower(alias) = lower(%(user)s::text))

-- name: names_changed: have every process that searches the space look at its names again
update core.spaces set version = version + 1 where id = %(space)s
