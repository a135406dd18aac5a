-- name: take_due: jobs to be handed to the queue now, marked as handed over; the others of those who do so pass over them
with due as (
    select space_id, id from core.outbox
    where sent_at is null and dead_at is null and due_at <= %(now)s and topic = any(%(topics)s::text[])
    order by due_at, id
    limit %(limit)s
    for update skip locked
)
update core.outbox o set sent_at = %(now)s
from due d
where o.space_id = d.space_id and o.id = d.id
returning o.space_id, o.id, o.topic

-- name: take_unheard: jobs that were handed over before some moment and are not done, to be looked for
with unheard as (
    select space_id, id from core.outbox
    where sent_at < %(before)s and dead_at is null and topic = any(%(topics)s::text[])
    order by sent_at, id
    limit %(limit)s
    for update skip locked
)
update core.outbox o set sent_at = %(now)s
from unheard u
where o.space_id = u.space_id and o.id = u.id
returning o.space_id, o.id, o.topic

-- name: set_right: bring back jobs dated by a clock that was set back since
--
-- A mark of the future is taken for one of now. Nothing of ours waits longer than a day; what seems to looks
-- again in an hour.
update core.outbox set
    sent_at = least(sent_at, %(now)s::timestamptz),
    due_at = case
        when due_at > %(now)s::timestamptz + interval '25 hours' then %(now)s::timestamptz + interval '1 hour'
        else due_at
    end
where dead_at is null and topic = any(%(topics)s::text[])
    and (
        sent_at > %(now)s::timestamptz + interval '10 minutes'
        or (sent_at is null and due_at > %(now)s::timestamptz + interval '25 hours')
    )

-- name: take_back: jobs that could not be handed over wait again
update core.outbox o set sent_at = null
from unnest(%(spaces)s::int4[], %(ids)s::int8[]) as t (space_id, id)
where o.space_id = t.space_id and o.id = t.id

-- name: claim: a worker begins with a job; what it needs to know of it
update core.outbox o set attempts = attempts + 1, started_at = %(now)s
where space_id = %(space)s and id = %(id)s and dead_at is null
returning space_id, id, topic, key, payload, version, attempts, session, user_name as user,
    (select s.name from core.spaces s where s.id = o.space_id) as space,
    (select s.epoch from core.spaces s where s.id = o.space_id) as epoch

-- name: done: a job is done whose effect was no transaction of its own
delete from core.outbox
where space_id = %(space)s and id = %(id)s and version = %(version)s
returning id

-- name: fail: a job failed: it is tried again then, or given up; at once if it was put again meanwhile
--
-- Where something was erased in its space meanwhile, why it failed may repeat that, and is not kept.
update core.outbox set
    sent_at = null,
    started_at = null,
    error = case when (select s.epoch from core.spaces s where s.id = outbox.space_id) is not distinct from %(epoch)s::bigint
        then %(error)s end,
    due_at = case when version = %(version)s then %(retry_at)s::timestamptz else '-infinity' end,
    dead_at = case when version = %(version)s then %(dead_at)s::timestamptz end
where space_id = %(space)s and id = %(id)s

-- name: give_back: a job that was taken and not tried to the end waits again, with as many tries as before
update core.outbox set
    sent_at = null,
    started_at = null,
    attempts = attempts - case when started_at is not null and attempts > 0 then 1 else 0 end
where space_id = %(space)s and id = %(id)s and dead_at is null

-- name: postpone: a job for which nothing is left today waits until then, with as many tries as before
update core.outbox set
    sent_at = null,
    started_at = null,
    error = %(error)s,
    due_at = %(until)s,
    attempts = attempts - case when attempts > 0 then 1 else 0 end
where space_id = %(space)s and id = %(id)s and dead_at is null

-- name: drop: a job whose space is forgotten
delete from core.outbox where space_id = %(space)s and id = %(id)s

-- name: any_due: whether something is to be done now
select exists (
    select from core.outbox
    where dead_at is null and due_at <= %(now)s and topic = any(%(topics)s::text[])
)

-- name: ring: wake those who hand jobs over
select pg_notify('quipu_outbox', '')

-- name: know_schedules: note when schedules are due first, or due next where their times were changed
insert into core.schedules (name, cron, due_at)
select name, cron, due_at
from unnest(%(names)s::text[], %(crons)s::text[], %(due)s::timestamptz[]) as t (name, cron, due_at)
order by name
on conflict (name) do update set cron = excluded.cron, due_at = excluded.due_at
where schedules.cron <> excluded.cron

-- name: bring_back: schedules that are due later than they can be were noted by a clock that was set back since
update core.schedules s set due_at = t.due_at, held_at = null
from unnest(%(names)s::text[], %(due)s::timestamptz[], %(latest)s::timestamptz[]) as t (name, due_at, latest)
where s.name = t.name and s.due_at > t.latest

-- name: hold: put a schedule off that is due, unless it was put off before
update core.schedules set due_at = %(due)s, held_at = %(now)s
where name = %(name)s and due_at <= %(now)s and held_at is null
returning name

-- name: schedules_due: schedules whose time has come, and when that was
select name, due_at from core.schedules where due_at <= %(now)s and name = any(%(names)s::text[]) order by due_at, name

-- name: fire: put the job of a schedule, for no space or for each, if nobody else has
with fired as (
    update core.schedules set due_at = %(next)s, fired_at = %(now)s, held_at = null
    where name = %(name)s and due_at <= %(now)s
    returning name
)
insert into core.outbox (space_id, topic, key)
select s.id, %(topic)s, f.name
from fired f
cross join lateral (
    select 0 as id where not %(each_space)s
    union all
    select id from core.spaces where %(each_space)s
) s
on conflict (space_id, topic, key) do update set
    version = outbox.version + 1,
    attempts = 0,
    dead_at = null,
    error = null,
    due_at = '-infinity',
    sent_at = case when outbox.dead_at is null then outbox.sent_at end
returning id
