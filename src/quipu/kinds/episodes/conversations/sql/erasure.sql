-- name: touched: exchanges that lose messages, and whether messages are left to them
select e.id, e.session_id, e.thread_id, e.topic_id, exists (
        select from core.messages m
        where m.space_id = %(space)s and m.id between e.first_message and e.last_message
            and m.id not in (select gone from unnest(%(ids)s::int8[]) as g (gone))
    ) as remains
from (
    select distinct e.id
    from unnest(%(ids)s::int8[]) as g (gone)
    join episodes.exchanges e on e.space_id = %(space)s and e.session_id = g.gone >> 24
        and g.gone between e.first_message and e.last_message
) t
join episodes.exchanges e on e.space_id = %(space)s and e.id = t.id
order by e.id

-- name: doomed_prompts: prompts that go; what names no user in the session of a person is theirs, as of messages
select id from episodes.prompts
where space_id = %(space)s
    and (%(everything)s or prompt_message = any(%(ids)s::int8[]) or reply_message = any(%(ids)s::int8[])
        or (%(message)s::text is null and (%(session)s::text is not null or %(user)s::text is not null)
            and (%(session)s::text is null or session = %(session)s)
            and (%(user)s::text is null or user_name = %(user)s
                or user_name is null and session in (
                    select name from core.sessions
                    where space_id = %(space)s and coalesce(distinct_id, belongs_to) = %(user)s))))

-- name: erase_prompts: take prompts
delete from episodes.prompts where space_id = %(space)s and id = any(%(gone)s::uuid[])

-- name: erase_exchanges: take exchanges of which nothing is left
delete from episodes.exchanges where space_id = %(space)s and id = any(%(gone)s::int8[])

-- name: unread_exchanges: what is left of an exchange is to be read again, without what was understood before
update episodes.exchanges set
    chunk = null, chunker = null, chunker_version = null, chunk_trouble = null, chunked_at = null,
    user_name = case when user_name = %(user)s then null else user_name end
where space_id = %(space)s and id = any(%(left)s::int8[])

-- name: unread_sessions: the sessions of exchanges
select distinct s.name from episodes.exchanges e
join core.sessions s on s.space_id = e.space_id and s.id = e.session_id
where e.space_id = %(space)s and e.id = any(%(left)s::int8[])
order by s.name

-- name: recount_threads: what is left of threads
update episodes.threads t set
    exchanges = l.exchanges,
    started_at = coalesce(l.started_at, t.started_at),
    last_at = coalesce(l.last_at, t.last_at),
    user_name = case when t.user_name = %(user)s then null else t.user_name end
from (
    select g.id, count(e.id) as exchanges, min(e.started_at) as started_at, max(e.ended_at) as last_at
    from unnest(%(threads)s::int8[]) as g (id)
    left join episodes.exchanges e on e.space_id = %(space)s and e.thread_id = g.id
    group by g.id
) l
where t.space_id = %(space)s and t.id = l.id

-- name: erase_threads: take threads of which nothing is left
delete from episodes.threads where space_id = %(space)s and id = any(%(threads)s::int8[]) and exchanges = 0

-- name: erase_topics: take topics that nobody talked of, and all of a person who is forgotten
delete from episodes.topics t
where t.space_id = %(space)s
    and (%(everything)s or t.user_name = %(person)s::text or t.id = any(%(topics)s::int8[]) and not exists (
        select from episodes.exchanges e where e.space_id = %(space)s and e.topic_id = t.id))

-- name: unname_conversations: what is known of conversations of a person who is forgotten
update episodes.conversation_details set user_name = null where space_id = %(space)s and user_name = %(person)s::text

-- name: erase_conversations: take what is known of sessions that go
delete from episodes.conversation_details where space_id = %(space)s and session_id = any(%(sessions)s::int8[])

-- name: erase_progress: how far they were read
delete from episodes.progress where space_id = %(space)s and session_id = any(%(sessions)s::int8[])

-- name: erase_all: threads, topics and exchanges of the whole space
with exchanges as (
    delete from episodes.exchanges where space_id = %(space)s
), details as (
    delete from episodes.message_details where space_id = %(space)s
)
delete from episodes.threads where space_id = %(space)s

-- name: named_exchanges: exchanges of which a name was understood
select id from episodes.exchanges
where space_id = %(space)s and chunk::text operator(pg_catalog.~) %(pattern)s order by id

-- name: named_topics: topics with a name in their name or their words
select id from episodes.topics
where space_id = %(space)s and concat_ws(' ', name, words) operator(pg_catalog.~) %(pattern)s order by id
