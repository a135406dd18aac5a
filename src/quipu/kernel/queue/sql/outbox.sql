-- name: put: have a job done once this transaction is through; one that waits under the same key is replaced
--
-- It rings for the relay only where nothing of the space waits for it yet: transactions that notify commit one
-- after the other, so a burst of them must not all do it.
with put as (
    insert into core.outbox (space_id, topic, key, payload, session, user_name, due_at)
    values (%(space)s, %(topic)s, coalesce(%(key)s::text, gen_random_uuid()::text), %(payload)s, %(session)s,
        %(user)s, coalesce(%(due)s::timestamptz, '-infinity'))
    on conflict (space_id, topic, key) do update set
        payload = excluded.payload,
        session = excluded.session,
        user_name = excluded.user_name,
        due_at = case when outbox.dead_at is null then least(outbox.due_at, excluded.due_at) else excluded.due_at end,
        sent_at = case when outbox.dead_at is null then outbox.sent_at end,
        version = outbox.version + 1,
        attempts = 0,
        dead_at = null,
        error = null
)
select pg_notify('quipu_outbox', '')
where %(due)s::timestamptz is null
    and not exists (
        select from core.outbox
        where space_id = %(space)s and sent_at is null and dead_at is null and due_at = '-infinity'
    )

-- name: put_for_sessions: have a job done for each session in each topic; the space is that of the transaction, if any
--
-- As ``put``, for many: in the order of their keys, so that two who put the same do not wait for each other.
with put as (
    insert into core.outbox (topic, key, payload, session)
    select topic, session, jsonb_build_object('session', session), session
    from unnest(%(topics)s::text[]) topic, unnest(%(sessions)s::text[]) session
    where (select core.current_space()) is not null
    order by topic, session
    on conflict (space_id, topic, key) do update set
        due_at = '-infinity',
        sent_at = case when outbox.dead_at is null then outbox.sent_at end,
        version = outbox.version + 1,
        attempts = 0,
        dead_at = null,
        error = null
)
select pg_notify('quipu_outbox', '')
where not exists (
    select from core.outbox
    where space_id = (select core.current_space()) and sent_at is null and dead_at is null and due_at = '-infinity'
)

-- name: stands: whether a job is still to be done as it was when it was taken
select exists (
    select from core.outbox
    where space_id = %(space)s and id = %(id)s and version = %(version)s and dead_at is null
)

-- name: settle: a job is done: its row goes with the transaction that has its effect
delete from core.outbox where space_id = %(space)s and id = %(id)s and version = %(version)s returning id

-- name: drop_of_sessions: jobs of sessions that are gone have nothing left to be done with
delete from core.outbox where space_id = %(space)s and session = any(%(sessions)s::text[])

-- name: count_words: jobs that hold words of what is to be erased
select count(*) from core.outbox
where space_id = %(space)s
    and (%(everything)s::boolean or (%(message)s::text is null
        and (%(session)s::text is null or session = %(session)s)
        and (%(user)s::text is null or user_name = %(user)s)))

-- name: erase_errors: what jobs that stay failed with may repeat what is erased
update core.outbox set error = null where space_id = %(space)s and error is not null

-- name: erase_words: take them
delete from core.outbox
where space_id = %(space)s
    and (%(everything)s::boolean or (%(message)s::text is null
        and (%(session)s::text is null or session = %(session)s)
        and (%(user)s::text is null or user_name = %(user)s)))
