-- name: schemas: those of a space, the default first
select id, name, schema_name, description, writer, reader, version
from tables.schemas
where space_id = %(space)s
order by name <> 'memory', name

-- name: shown_schemas: those of a space as answers show them, the default first
select id, name, description, writer, reader, version
from tables.schemas
where space_id = %(space)s
order by name <> 'memory', name

-- name: schema: one by its name, with what an agent may do in it
select s.id, s.name, s.schema_name, s.description, s.writer, s.reader, s.version, g.permission
from tables.schemas s
left join tables.grants g on g.space_id = s.space_id and g.schema_id = s.id and g.agent = %(agent)s::text
where s.space_id = (select core.current_space()) and s.name = %(name)s::text

-- name: count_tables: how many tables agents have made in a space
select count(*)
from tables.schemas s
join pg_catalog.pg_class c on c.relnamespace = to_regnamespace(s.schema_name)::oid
    and c.relkind in ('r', 'p') and c.relowner = to_regrole(s.writer)::oid
where s.space_id = %(space)s

-- name: discard: drop a schema with everything in it
select tables.discard(%(schema)s::integer)

-- name: describe_schema: say what it is for
update tables.schemas set description = %(description)s where space_id = %(space)s and id = %(schema)s

-- name: create: make a schema and its roles, as the account that may make roles
select tables.found(%(name)s::text, %(schema_name)s::text, %(description)s::text, %(writer)s::text, %(reader)s::text,
    %(writer_secret)s::text, %(reader_secret)s::text, %(writer_password)s::text, %(reader_password)s::text)

-- name: hold_founding: schemas of a space are made one after the other, and not while it is erased
select pg_advisory_xact_lock_shared(hashtextextended(%(name)s::text, 7310522003)),
    pg_advisory_xact_lock(hashtextextended(%(name)s::text, 7310522012))

-- name: enter: as the owner, see one space
select id from core.enter(%(name)s::text)

-- name: drop_discarded_roles: drop the roles of schemas that are gone
select tables.drop_discarded_roles()

-- name: passwords: of the roles of a schema; and whether anybody can take advisory locks (see tables.harden)
select writer_password, reader_password, exists (
    select from pg_catalog.pg_proc p
    where p.pronamespace = 'pg_catalog'::regnamespace and p.proname ~ '^pg_(try_)?advisory_'
        and pg_catalog.has_function_privilege('public', p.oid, 'execute'))
from tables.passwords
where space_id = %(space)s and schema_id = %(schema)s

-- name: set_passwords: new ones
select tables.set_passwords(%(schema)s::integer, %(writer_secret)s::text, %(reader_secret)s::text,
    %(writer_password)s::text, %(reader_password)s::text)

-- name: keep_own: on the connection of the writer, so that upkeep gets at its tables
select tables.keep_own()

-- name: settle: at the end of a call that may have changed the structure, on the connection of the writer
select tables.settle()

-- name: grants: who may do what, by schema and agent
select s.name as schema, g.agent, g.permission, g.granted_at
from tables.grants g
join tables.schemas s on s.space_id = g.space_id and s.id = g.schema_id
where g.space_id = %(space)s and (%(schema)s::integer is null or s.id = %(schema)s::integer)
order by s.name <> 'memory', s.name, g.agent

-- name: grant: let an agent do this much from now on
insert into tables.grants (space_id, schema_id, agent, permission)
values (%(space)s, %(schema)s, %(agent)s, %(permission)s)
on conflict (space_id, schema_id, agent) do update set permission = excluded.permission, granted_at = now()

-- name: revoke: let an agent do nothing there from now on
delete from tables.grants where space_id = %(space)s and schema_id = %(schema)s and agent = %(agent)s
