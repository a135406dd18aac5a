-- name: doomed: episodes that an erasure touches, with their entries, and whether messages are left to them
--
-- What nothing was linked to (it was written by SQL) goes with its session, its person, or the whole space.
with gone as materialized (
    select unnest(%(ids)s::int8[]) as id
), linked as (
    select distinct l.episode_id as id from gone g
    join episodes.episode_messages l on l.space_id = %(space)s and l.message_id = g.id
)
select e.id, e.entry_id, exists (
        select from episodes.episode_messages l
        where l.space_id = e.space_id and l.episode_id = e.id and l.message_id not in (select id from gone)
    ) and not %(everything)s as remains
from episodes.stored_episodes e
where e.space_id = %(space)s and (%(everything)s or e.id in (select id from linked)
    or %(message)s::text is null
        and (%(session)s::text is not null or %(user)s::text is not null)
        and (%(session)s::text is null or e.session_id = (
            select id from core.sessions where space_id = %(space)s and name = %(session)s))
        and (%(user)s::text is null or e.user_name = %(user)s)
        and not exists (
            select from episodes.episode_messages l where l.space_id = e.space_id and l.episode_id = e.id))
order by e.id

-- name: erase_episodes: take episodes, with their links, uses and history
delete from episodes.stored_episodes where space_id = %(space)s and id = any(%(gone)s::uuid[])

-- name: empty_episodes: the words of episodes that lose a message; they wait to be rewritten from the others
with history as (
    delete from episodes.episode_history where space_id = %(space)s and episode_id = any(%(left)s::uuid[])
)
update episodes.stored_episodes set
    intent = '{}', context = '{}', action = '', emotion = '{}', outcome = '', gist = '', topic = '', open_loops = '[]',
    loops_by_hand = false, builder_trouble = null, entry_id = null, emptied_at = now(), refile = false,
    user_name = case when user_name = %(user)s then null else user_name end
where space_id = %(space)s and id = any(%(left)s::uuid[])

-- name: emptied_sessions: the sessions of episodes
select distinct s.name from episodes.stored_episodes e
join core.sessions s on s.space_id = e.space_id and s.id = e.session_id
where e.space_id = %(space)s and e.id = any(%(left)s::uuid[])
order by s.name

-- name: set_aside: the exchanges of an episode that is erased alone are not condensed again
update episodes.exchanges set set_aside = true where space_id = %(space)s and episode_id = %(id)s

-- name: entry_of: whether there is an episode, and its entry
select entry_id from episodes.stored_episodes where space_id = %(space)s and id = %(id)s

-- name: named_episodes: episodes in which a name stands, as they read or as they read before, with their entries
select e.id, e.entry_id from episodes.stored_episodes e
where e.space_id = %(space)s
    and (concat_ws(' ', e.intent, e.context, e.action, e.emotion, e.outcome, e.gist, e.topic, e.open_loops)
            operator(pg_catalog.~) %(pattern)s
        or exists (
            select from episodes.episode_history h
            where h.space_id = e.space_id and h.episode_id = e.id and h.said::text operator(pg_catalog.~) %(pattern)s))
order by e.id
