-- name: status: how many jobs of each topic wait for what
select topic, null as queue,
    count(*) filter (where dead_at is null and sent_at is null and due_at <= %(now)s) as waiting,
    count(*) filter (where dead_at is null and sent_at is null and due_at > %(now)s) as later,
    count(*) filter (where dead_at is null and sent_at is not null) as handed_over,
    count(*) filter (where dead_at is not null) as dead,
    min(created_at) filter (where dead_at is null and due_at <= %(now)s) as oldest_at
from core.outbox
group by topic
order by topic

-- name: schedules: every schedule and when it is due
select name, cron, due_at, fired_at from core.schedules order by name

-- name: dead: jobs that were given up, the latest first
select o.id, s.name as space, o.topic, o.key, o.payload, o.attempts, o.created_at, nullif(o.due_at, '-infinity') as due_at,
    o.sent_at, o.started_at, o.dead_at, o.error
from core.outbox o
left join core.spaces s on s.id = o.space_id
where o.dead_at is not null and (%(topic)s::text is null or o.topic = %(topic)s)
order by o.dead_at desc, o.id desc
limit %(limit)s

-- name: show: one job
select o.id, s.name as space, o.topic, o.key, o.payload, o.attempts, o.created_at, nullif(o.due_at, '-infinity') as due_at,
    o.sent_at, o.started_at, o.dead_at, o.error
from core.outbox o
left join core.spaces s on s.id = o.space_id
where o.id = %(id)s

-- name: revive: jobs that were given up wait again, as if they were new
update core.outbox set dead_at = null, error = null, attempts = 0, sent_at = null, due_at = '-infinity'
where dead_at is not null and (%(ids)s::int8[] is null or id = any(%(ids)s::int8[]))
    and (%(topic)s::text is null or topic = %(topic)s)
returning id

-- name: count_purge: jobs that would be thrown away, by topic
select topic, count(*) as jobs from core.outbox
where (dead_at is not null or %(waiting)s::boolean) and (%(ids)s::int8[] is null or id = any(%(ids)s::int8[]))
    and (%(topic)s::text is null or topic = %(topic)s)
group by topic
order by topic

-- name: purge: throw jobs away
with gone as (
    delete from core.outbox
    where (dead_at is not null or %(waiting)s::boolean) and (%(ids)s::int8[] is null or id = any(%(ids)s::int8[]))
        and (%(topic)s::text is null or topic = %(topic)s)
    returning topic
)
select topic, count(*) as jobs from gone group by topic order by topic

-- name: workers: how many workers listen on this database
select count(*) from pg_stat_activity where datname = current_database() and application_name = 'quipu-worker'

-- name: identity: what tells this database from others that may share a Redis with it
select left(md5(system_identifier::text || '/' || (select oid from pg_database where datname = current_database())), 8)
from pg_control_system()
