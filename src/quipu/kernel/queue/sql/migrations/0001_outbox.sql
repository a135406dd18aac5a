-- Jobs wait in core.outbox, in the transaction that causes them, and stay there until they are done.

-- This role carries jobs to the workers. It sees the outbox of every space, and nothing else of any.
call core.have_role('quipu_relay');

set local role quipu_owner;

-- No reference to core.spaces: each job would lock the one row of its space. An erasure of the space takes
-- its jobs by itself; and the jobs of schedules that are for no space have the space 0.
create table core.outbox (
    space_id integer not null default core.current_space(),
    id bigint generated always as identity,
    topic text not null check (char_length(topic) between 1 and 50),
    key text not null check (char_length(key) between 1 and 512),
    payload jsonb not null default '{}'::jsonb,
    session text,
    user_name text,
    version integer not null default 1,
    attempts integer not null default 0 check (attempts >= 0),
    created_at timestamptz not null default now(),
    due_at timestamptz not null default '-infinity',
    sent_at timestamptz,
    started_at timestamptz,
    dead_at timestamptz,
    error text,
    primary key (space_id, id),
    unique (space_id, topic, key)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);
comment on table core.outbox is 'Jobs to be done. A row goes in the transaction that has the effect of its job.';
comment on column core.outbox.version is 'Counts how often the job was put; who did an older one does it again.';
comment on column core.outbox.session is 'Whose words the payload holds, if it holds any: goes with the session that is erased.';
comment on column core.outbox.sent_at is 'When it was handed to the queue; null: it waits for that.';
comment on column core.outbox.dead_at is 'When it was given up; it waits for somebody to look.';

create index outbox_due on core.outbox (due_at, id) where sent_at is null and dead_at is null;

create index outbox_due_of_space on core.outbox (space_id, due_at) where sent_at is null and dead_at is null;

call core.keep_in_space('core', array['outbox']);

create policy relay on core.outbox to quipu_relay using (true) with check (true);

grant usage on schema core to quipu_relay;
grant select, insert, update, delete on core.outbox to quipu_relay;

create policy relay on core.spaces for select to quipu_relay using (true);

-- What a job makes of words that were erased while it was at it is not written: so a worker must know of erasures (epoch).
grant select (id, name, epoch) on core.spaces to quipu_relay;

create table core.schedules (
    name text primary key,
    cron text not null,
    due_at timestamptz not null,
    fired_at timestamptz,
    held_at timestamptz
);
comment on table core.schedules is 'When each schedule is due next: whoever moves that on fires it, so it fires once.';
comment on column core.schedules.held_at is 'When it was put off because it was far behind; null: it has fired since.';

grant select, insert, update on core.schedules to quipu_relay;

-- The tables of SAQ 0.26 (version 3 of its schema), which carry the jobs between workers where no Redis does.
-- They hold nothing that is not in the outbox, so what a crash of the server takes is sent again: no WAL.
create schema queue;
comment on schema queue is 'The tables of SAQ, which hands jobs to workers.';

grant usage on schema queue to quipu_relay;

create unlogged table queue.saq_jobs (
    key text primary key,
    lock_key serial not null,
    job bytea not null,
    queue text not null,
    status text not null,
    priority smallint not null default 0,
    group_key text,
    scheduled bigint not null default extract(epoch from now()),
    expire_at bigint
);

create index saq_jobs_status_queue_group_key_idx on queue.saq_jobs (status, queue, group_key);

create index saq_jobs_status_queue_priority_scheduled_idx on queue.saq_jobs (status, queue, priority, scheduled);

create unlogged table queue.saq_stats (
    worker_id text primary key,
    stats jsonb,
    expire_at bigint,
    metadata jsonb,
    queue_key text
);

create index saq_stats_expire_at_idx on queue.saq_stats (expire_at);

create index saq_stats_queue_key_idx on queue.saq_stats (queue_key);

grant select, insert, update, delete on queue.saq_jobs, queue.saq_stats to quipu_relay;
grant usage on sequence queue.saq_jobs_lock_key_seq to quipu_relay;

reset role;
