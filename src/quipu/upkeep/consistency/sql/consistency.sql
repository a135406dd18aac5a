-- name: entries_without_their_message: every entry of the record has its message
select e.id::text as what
from core.recall_entries e
where e.space_id = %(space)s and e.kind = (select code from core.recall_kinds where name = 'message')
    and not exists (select from core.messages m where m.space_id = e.space_id and m.id = e.id)
order by e.id

-- name: messages_without_their_entry: every message can be found, as what it is: its time, its speaker, its user
select m.id::text as what
from core.messages m
left join core.recall_entries e on e.space_id = m.space_id and e.id = m.id
left join core.recall_names speaker on speaker.space_id = m.space_id and speaker.id = e.speaker
left join core.recall_names owner on owner.space_id = m.space_id and owner.id = e.owner
where m.space_id = %(space)s
    and (m.content <> '' or e.id is not null)
    and not exists (
        select from core.unindexed_messages u where u.space_id = %(space)s and u.message_id = m.id and e.id is null)
    and (e.id is null or (e.happened_at, e.recorded_at, e.by_user, speaker.name, owner.name)
        is distinct from (m.happened_at, m.recorded_at, m.role = 'user', m.speaker, m.user_name))
order by m.id

-- name: messages_outside_their_session: a message of a session is in the thread of it, one without stands alone
select id::text as what
from core.messages
where space_id = %(space)s and case when id > 0 then id >> 24 end is distinct from session_id
order by id

-- name: messages_filed_and_unindexed: a message that waits to be filed is not filed, and its space says that it waits
select u.message_id::text as what
from core.unindexed_messages u
join core.spaces s on s.id = u.space_id
where u.space_id = %(space)s
    and (s.unindexed & 1 = 0
        or exists (select from core.recall_entries e where e.space_id = %(space)s and e.id = u.message_id))
order by u.message_id

-- name: sessions_that_miscount: a session counts its messages and spans their times
select s.name as what
from core.sessions s
left join (
    select session_id, count(*) as messages, min(happened_at) as started_at, max(happened_at) as last_at
    from core.messages where space_id = %(space)s group by session_id
) m on m.session_id = s.id
where s.space_id = %(space)s
    and (s.messages, s.started_at, s.last_at) is distinct from (coalesce(m.messages, 0), m.started_at, m.last_at)
order by s.name

-- name: entries_without_vector: every entry has a vector of the generation of the space, of its dimensions
select e.id::text as what
from core.recall_entries e
join core.spaces s on s.id = e.space_id
left join core.recall_generations g on g.id = s.generation
left join core.recall_vectors v on v.space_id = e.space_id and v.generation = s.generation and v.entry_id = e.id
where e.space_id = %(space)s
    and (v.entry_id is null or vector_dims(v.context) <> g.dimensions or length(e.bits) < g.dimensions
        or (e.id > 0 and (v.own is null or vector_dims(v.own) <> g.dimensions)))
order by e.id

-- name: vectors_without_entry: no vector is left of what is gone, in no generation
select v.generation || '/' || v.entry_id as what
from core.recall_vectors v
where v.space_id = %(space)s
    and not exists (select from core.recall_entries e where e.space_id = v.space_id and e.id = v.entry_id)
order by v.generation, v.entry_id

-- name: entries_without_postings: every term of an entry has its posting, and the posting the entry's length
select e.id::text as what
from core.recall_entries e
cross join unnest(e.terms) as t (term)
left join core.recall_postings p on p.space_id = e.space_id and p.term = t.term and p.entry_id = e.id
where e.space_id = %(space)s and (p.term is null or p.tokens <> least(e.tokens, 32000))
group by e.id
order by e.id

-- name: postings_without_entry: no posting is left of what is gone
select distinct p.entry_id::text as what
from core.recall_postings p
left join core.recall_entries e on e.space_id = p.space_id and e.id = p.entry_id
where p.space_id = %(space)s and (e.id is null or p.term <> all(e.terms))
order by 1

-- name: terms_that_miscount: of each term it is known in how many entries it occurs
select term::text as what
from (select term, entries from core.recall_terms where space_id = %(space)s) t
full join (
    select term, count(*) as entries from core.recall_postings where space_id = %(space)s group by term
) p using (term)
where t.entries is distinct from p.entries
order by 1

-- name: threads_that_miscount: a thread counts its tokens, knows who took part, and ends after its last entry
select t.id::text as what
from core.recall_threads t
left join (
    select id >> 24 as id, sum(tokens) as tokens, bool_or(not by_user) as with_assistant, max(id & 16777215) as last,
           coalesce(array_agg(distinct speaker order by speaker) filter (where speaker > 0), '{}') as speakers
    from core.recall_entries where space_id = %(space)s and id > 0 group by id >> 24
) e using (id)
where t.space_id = %(space)s
    and ((t.tokens, t.with_assistant) is distinct from (coalesce(e.tokens, 0), coalesce(e.with_assistant, false))
        or e.last >= t.next_position
        or array(select unnest(t.speakers) order by 1) is distinct from coalesce(e.speakers, '{}')
        or (e.id is null
            and not exists (select from core.messages m where m.space_id = %(space)s and m.id >> 24 = t.id)
            and not exists (select from core.removed_messages r where r.space_id = %(space)s and r.id >> 24 = t.id)))
order by t.id

-- name: entries_without_thread: every entry is in a thread or stands alone
select e.id::text as what
from core.recall_entries e
where e.space_id = %(space)s and e.id > 0
    and not exists (select from core.recall_threads t where t.space_id = e.space_id and t.id = e.id >> 24)
order by e.id

-- name: threads_with_gaps: where nothing was ever erased, positions follow each other
select t.id::text as what
from core.recall_threads t
join core.spaces s on s.id = t.space_id and s.epoch = 0
where t.space_id = %(space)s
    and t.next_position <> (
        select count(*) from core.messages m
        where m.space_id = t.space_id and m.id between t.id << 24 and (t.id << 24) + 16777215
    ) + (
        select count(*) from core.removed_messages r
        where r.space_id = t.space_id and r.id between t.id << 24 and (t.id << 24) + 16777215
    )
order by t.id

-- name: names_without_use: nobody is known of whom nothing is left
select n.id::text as what
from core.recall_names n
where n.space_id = %(space)s and n.id not in (
    select speaker from core.recall_entries where space_id = %(space)s
    union
    select owner from core.recall_entries where space_id = %(space)s
)
order by n.id

-- name: space_that_miscounts: the counters of the space are the sums over its entries
select concat_ws(' ', s.entries, s.tokens, s.mixed_tokens, s.threads, 'for', e.entries, e.tokens, e.mixed_tokens, t.threads)
    as what
from core.spaces s
cross join (
    select count(*) as entries, coalesce(sum(tokens), 0) as tokens, coalesce(sum(mixed_tokens::float8), 0) as mixed_tokens,
           coalesce(max(version), 0) as version, coalesce(array_agg(distinct language), '{}') as languages
    from core.recall_entries where space_id = %(space)s
) e
cross join (select count(*) as threads from core.recall_threads where space_id = %(space)s) t
where s.id = %(space)s
    and ((s.entries, s.tokens, s.threads) is distinct from (e.entries, e.tokens, t.threads) or e.version > s.version
        or not s.languages @> e.languages
        or abs(s.mixed_tokens - e.mixed_tokens) > 1e-5 * e.mixed_tokens + 1e-3)

-- name: heritage: what each entry of the threads inherits, and what that is worked out from, in order
select e.id, e.speaker, e.by_user, e.words, e.tokens, e.asks, e.happened_at, e.mixed_tokens, e.from_previous,
       e.from_before, e.from_next, halfvec_send(coalesce(v.own, v.context)) as own, halfvec_send(v.context) as context,
       varbit_send(e.bits) as bits
from core.recall_entries e
join core.recall_vectors v on v.space_id = e.space_id and v.entry_id = e.id
    and v.generation = (select generation from core.spaces where id = %(space)s)
where e.space_id = %(space)s and e.id > %(after)s
order by e.id
limit %(limit)s
