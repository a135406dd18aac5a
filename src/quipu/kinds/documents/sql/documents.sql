-- name: put: write documents; what is there already gets a new version where it differs
--
-- In the order of their places, so that two who write the same ones wait for each other instead of for ever.
insert into documents.documents as d (place, key, value, body, metadata, user_name, index_paths, ttl_seconds,
    expires_at, written_by, redacted, created_at, updated_at)
select g.place, g.key, nullif(g.value, 'null'), g.body, g.metadata, g.user_name, g.index_paths, g.ttl_seconds,
    %(now)s::timestamptz + make_interval(secs => g.ttl_seconds), g.written_by, g.redacted, %(now)s, %(now)s
from jsonb_to_recordset(%(documents)s::jsonb) as g (place text, key text, value jsonb, body text, metadata jsonb,
    user_name text, index_paths text[], ttl_seconds float8, written_by text, redacted int4)
where (select core.current_space()) is not null
order by g.place collate "C", g.key collate "C"
on conflict (space_id, place, key) do update set
    value = excluded.value, body = excluded.body, metadata = excluded.metadata, user_name = excluded.user_name,
    index_paths = excluded.index_paths, ttl_seconds = excluded.ttl_seconds, expires_at = excluded.expires_at,
    written_by = excluded.written_by, redacted = excluded.redacted, updated_at = excluded.updated_at,
    created_at = case when d.expires_at <= excluded.updated_at then excluded.created_at else d.created_at end
returning id::text, place, key, version, sha256, created_at, updated_at, expires_at, d.xmax = 0

-- name: put_passages: have the passages of documents be these: those that stand already keep their entry
with wanted as materialized (
    select d.id as document_id, d.user_name, d.updated_at, w.field, w.heading, w.first_line, w.text, w.number
    from unnest(%(of)s::int4[], %(fields)s::text[], %(headings)s::text[], %(lines)s::int4[], %(texts)s::text[])
        with ordinality as w (of, field, heading, first_line, text, number)
    join unnest(%(places)s::text[], %(keys)s::text[]) with ordinality as g (place, key, number) on g.number = w.of
    join documents.documents d on d.space_id = (select core.current_space()) and d.place = g.place and d.key = g.key
),
standing as materialized (
    select p.id, p.document_id, p.field, p.heading, p.text, p.user_name, p.number, p.first_line
    from unnest(%(places)s::text[], %(keys)s::text[]) as g (place, key)
    join documents.documents d on d.space_id = (select core.current_space()) and d.place = g.place and d.key = g.key
    join documents.passages p on p.space_id = (select core.current_space()) and p.document_id = d.id
),
paired as materialized (
    select s.id, w.document_id, w.field, w.heading, w.text, w.number, w.first_line,
           (s.number, s.first_line) is distinct from (w.number, w.first_line) as moved
    from standing s
    join wanted w on w.document_id = s.document_id and w.field = s.field and w.text = s.text
        and w.heading is not distinct from s.heading and w.user_name is not distinct from s.user_name
),
gone as (
    delete from documents.passages p
    using (select id from standing except select id from paired) s
    where p.space_id = (select core.current_space()) and p.id = s.id
),
moved as (
    update documents.passages p set number = x.number, first_line = x.first_line
    from paired x
    where p.space_id = (select core.current_space()) and p.id = x.id and x.moved
)
insert into documents.passages (document_id, number, field, heading, first_line, text, user_name, happened_at)
select w.document_id, w.number, w.field, w.heading, w.first_line, w.text, w.user_name, w.updated_at
from wanted w
where not exists (
    select from paired x
    where x.document_id = w.document_id and x.field = w.field and x.text = w.text
        and x.heading is not distinct from w.heading)

-- name: put_vectors: have the vectors of documents be these
with standing as (
    select d.id, g.number
    from unnest(%(places)s::text[], %(keys)s::text[]) with ordinality as g (place, key, number)
    join documents.documents d on d.space_id = (select core.current_space()) and d.place = g.place and d.key = g.key
), gone as (
    delete from documents.vectors v using standing s where v.space_id = (select core.current_space()) and v.document_id = s.id
)
insert into documents.vectors (document_id, vector)
select s.id, w.vector::vector
from unnest(%(of)s::int4[], %(vectors)s::text[]) as w (of, vector)
join standing s on s.number = w.of

-- name: nearest: documents below a path by the nearest of their own vectors: cosine, inner product, or distance
select d.id, d.path, d.key, d.value, d.body, d.metadata, d."user", d.index, d.version, d.sha256, d.created_at,
    d.updated_at, d.ttl_seconds, d.expires_at, d.written_by, d.redacted, n.score
from (
    select v.document_id, max(case %(metric)s::text
            when 'cosine' then 1 - nullif(v.vector <=> %(vector)s::vector, 'NaN')
            when 'inner_product' then -(v.vector <#> %(vector)s::vector)
            else -(v.vector <-> %(vector)s::vector) end) as score
    from documents.documents o
    join documents.vectors v on v.space_id = o.space_id and v.document_id = o.id
    where o.space_id = (select core.current_space())
        and vector_dims(v.vector) = vector_dims(%(vector)s::vector)
        and o.place >= %(first)s and o.place < %(behind)s
        and (%(user)s::text is null or o.user_name = %(user)s)
        and documents.passes(o.metadata, o.value, %(metadata)s, %(value)s, %(no_value)s, %(both)s)
        and (o.expires_at is null or o.expires_at > %(now)s)
    group by v.document_id
    order by score desc nulls last, v.document_id
    limit %(limit)s offset %(offset)s
) n
join documents.shown d on d.space_id = (select core.current_space()) and d.document_id = n.document_id
order by n.score desc nulls last, d.document_id

-- name: lock: one document for a change that depends on its version; nothing where there is none
select version, sha256
from documents.documents
where space_id = %(space)s and place = %(place)s and key = %(key)s
    and (expires_at is null or expires_at > %(now)s)
for update

-- name: get: documents by place and key
select d.id, d.path, d.key, d.value, d.body, d.metadata, d."user", d.index, d.version, d.sha256, d.created_at,
    d.updated_at, d.ttl_seconds, d.expires_at, d.written_by, d.redacted
from unnest(%(places)s::text[], %(keys)s::text[]) as g (place, key)
join documents.shown d on d.space_id = (select core.current_space()) and d.place = g.place and d.key = g.key
where d.expires_at is null or d.expires_at > %(now)s

-- name: by_id: documents by id
select d.id, d.path, d.key, d.value, d.body, d.metadata, d."user", d.index, d.version, d.sha256, d.created_at,
    d.updated_at, d.ttl_seconds, d.expires_at, d.written_by, d.redacted
from documents.shown d
where d.space_id = %(space)s and d.document_id = any(%(ids)s::text[]::uuid[]) and (d.expires_at is null or d.expires_at > %(now)s)

-- name: refresh: have documents expire as long from now as they were to when they were written
update documents.documents d set expires_at = %(now)s::timestamptz + make_interval(secs => d.ttl_seconds)
from unnest(%(places)s::text[], %(keys)s::text[]) as g (place, key)
where d.space_id = (select core.current_space()) and d.place = g.place and d.key = g.key and d.expires_at > %(now)s

-- name: list_updated: documents below a path, the latest change first; behind one of them
--
-- documents.standing() is a function so that a list from the beginning, the usual one, plans nothing of it.
select d.id, d.path, d.key, d.value, d.body, d.metadata, d."user", d.index, d.version, d.sha256, d.created_at,
    d.updated_at, d.ttl_seconds, d.expires_at, d.written_by, d.redacted
from documents.shown d
where d.space_id = (select core.current_space())
    and d.place >= %(first)s and d.place < %(behind)s
    and (%(user)s::text is null or d."user" = %(user)s)
    and documents.passes(d.metadata, d.value, %(metadata)s, %(value)s, %(no_value)s, %(both)s)
    and (d.expires_at is null or d.expires_at > %(now)s)
    and (%(after)s::uuid is null
        or d.updated_at <= (select (documents.standing(%(after)s::uuid)).updated_at)
        and (d.document_id > %(after)s::uuid
            or d.updated_at < (select (documents.standing(%(after)s::uuid)).updated_at)))
order by d.updated_at desc, d.document_id
limit %(limit)s offset %(offset)s

-- name: list_keys: documents below a path, by path and key; behind one of them
select d.id, d.path, d.key, d.value, d.body, d.metadata, d."user", d.index, d.version, d.sha256, d.created_at,
    d.updated_at, d.ttl_seconds, d.expires_at, d.written_by, d.redacted
from documents.shown d
where d.space_id = (select core.current_space())
    and d.place >= %(first)s and d.place < %(behind)s
    and (%(user)s::text is null or d."user" = %(user)s)
    and documents.passes(d.metadata, d.value, %(metadata)s, %(value)s, %(no_value)s, %(both)s)
    and (d.expires_at is null or d.expires_at > %(now)s)
    and (%(after)s::uuid is null or (d.place, d.key) > (select place, key from documents.standing(%(after)s::uuid)))
order by d.place, d.key
limit %(limit)s offset %(offset)s

-- name: matching: the entries of documents below a path for which conditions hold
select p.entry_id
from documents.documents d
join documents.passages p on p.space_id = d.space_id and p.document_id = d.id and p.entry_id is not null
where d.space_id = (select core.current_space())
    and d.place >= %(first)s and d.place < %(behind)s
    and (%(user)s::text is null or d.user_name = %(user)s)
    and documents.passes(d.metadata, d.value, %(metadata)s, %(value)s, %(no_value)s, %(both)s)
    and (d.expires_at is null or d.expires_at > %(now)s)

-- name: count: how many documents are below a path for which conditions hold
select count(*)
from documents.documents d
where d.space_id = (select core.current_space())
    and d.place >= %(first)s and d.place < %(behind)s
    and (%(user)s::text is null or d.user_name = %(user)s)
    and documents.passes(d.metadata, d.value, %(metadata)s, %(value)s, %(no_value)s, %(both)s)
    and (d.expires_at is null or d.expires_at > %(now)s)

-- name: field_values: the values of a field in documents below a path for which conditions hold, and in how many each is
select f.value, count(distinct d.id) as documents
from documents.documents d
cross join lateral jsonb_path_query(
    case %(root)s::text when 'value' then d.value else d.metadata end, %(member)s::jsonpath, silent => true) as f (value)
where d.space_id = (select core.current_space())
    and d.place >= %(first)s and d.place < %(behind)s
    and (%(user)s::text is null or d.user_name = %(user)s)
    and documents.passes(d.metadata, d.value, %(metadata)s, %(value)s, %(no_value)s, %(both)s)
    and (d.expires_at is null or d.expires_at > %(now)s)
group by f.value
order by documents desc, f.value
limit %(limit)s offset %(offset)s

-- name: list_paths: the paths at which documents stand, cut to a number of names
--
-- From each place the index leads to the next one: what stands at a place is not read through.
with recursive there as (
    (
        select place
        from documents.documents
        where space_id = (select core.current_space())
            and (%(first)s::text is null or place >= %(first)s and place < %(behind)s)
            and (expires_at is null or expires_at > %(now)s)
        order by place
        limit 1
    )
    union all
    select (
        select d.place
        from documents.documents d
        where d.space_id = (select core.current_space()) and d.place > t.place
            and (%(behind)s::text is null or d.place < %(behind)s)
            and (d.expires_at is null or d.expires_at > %(now)s)
        order by d.place
        limit 1
    )
    from there t
    where t.place is not null
)
select documents.names(place) as path
from (
    select distinct documents.cut(place, %(depth)s::int4) as place
    from there
    where place is not null and place ~ all(%(patterns)s::text[])
) paths
order by place
limit %(limit)s offset %(offset)s

-- name: remove: take documents away; each is kept as a version that can be brought back
with gone as (
    delete from documents.documents d
    using unnest(%(places)s::text[], %(keys)s::text[]) as g (place, key)
    where d.space_id = (select core.current_space()) and d.place = g.place and d.key = g.key
    returning d.*
), kept as (
    insert into documents.versions (space_id, document_id, version, place, key, value, body, metadata, user_name,
        index_paths, sha256, created_at, written_at, written_by, ended_at, ended_by)
    select space_id, id, version, place, key, value, body, metadata, user_name, index_paths, sha256, created_at,
        updated_at, written_by, greatest(%(now)s::timestamptz, updated_at), 'delete'
    from gone
    where expires_at is null or expires_at > %(now)s
), forgotten as (
    delete from documents.versions v
    using gone g
    where v.space_id = g.space_id and v.document_id = g.id and g.expires_at <= %(now)s
)
select place, key from gone where expires_at is null or expires_at > %(now)s

-- name: longest_below: how many bytes the longest path and key below a path have, were they moved
select coalesce(max(octet_length(%(to)s::text) + octet_length(place) - octet_length(%(first)s::text)
    + octet_length(coalesce(%(to_key)s::text, key))), 0)
from documents.documents
where space_id = %(space)s and place >= %(first)s and place < %(behind)s
    and (%(key)s::text is null or place = %(first)s and key = %(key)s)

-- name: move: give documents below a path another place; those that have it already are not touched
update documents.documents d set
    place = %(to)s::text || substr(d.place, char_length(%(first)s::text) + 1),
    key = coalesce(%(to_key)s::text, d.key), updated_at = greatest(d.updated_at, %(now)s)
where d.space_id = %(space)s and d.place >= %(first)s and d.place < %(behind)s
    and (%(key)s::text is null or d.place = %(first)s and d.key = %(key)s)
    and (d.expires_at is null or d.expires_at > %(now)s)
returning d.id::text

-- name: versions: the versions of what stands or stood at a place, the latest first
with those as (
    select id from documents.documents where space_id = %(space)s and place = %(place)s and key = %(key)s
    union
    select document_id from documents.versions where space_id = %(space)s and place = %(place)s and key = %(key)s
)
select id::text as document, version, documents.names(place) as path, key, value, body, metadata, sha256,
    updated_at as written_at, written_by, null::timestamptz as ended_at, null as ended_by, false as redacted
from documents.documents
where space_id = %(space)s and id in (select id from those) and (expires_at is null or expires_at > %(now)s)
union all
select document_id::text, version, documents.names(place), key, value, body, metadata, sha256, written_at, written_by,
    ended_at, ended_by, redacted_at is not null
from documents.versions
where space_id = %(space)s and document_id in (select id from those)
order by written_at desc, version desc
limit %(limit)s offset %(offset)s

-- name: stood_at: what stands or stood at a place: if it stands there or elsewhere, and if it has a version; the last one first
with stood as (
    select id, true as here, updated_at as until from documents.documents
    where space_id = %(space)s and place = %(place)s and key = %(key)s and (expires_at is null or expires_at > %(now)s)
    union all
    select document_id, false, ended_at from documents.versions
    where space_id = %(space)s and place = %(place)s and key = %(key)s
)
select s.id::text, bool_or(s.here),
    exists (select from documents.documents d where d.space_id = %(space)s and d.id = s.id),
    exists (select from documents.documents d where d.space_id = %(space)s and d.id = s.id and d.version = %(version)s)
        or exists (
            select from documents.versions v
            where v.space_id = %(space)s and v.document_id = s.id and v.version = %(version)s)
from stood s
where %(document)s::text is null or s.id::text = %(document)s
group by s.id
order by bool_or(s.here) desc, max(s.until) desc

-- name: version: a version of a document
select id::text as document, version, documents.names(place) as path, key, value, body, metadata, sha256,
    updated_at as written_at, written_by, null::timestamptz as ended_at, null as ended_by, false as redacted
from documents.documents
where space_id = %(space)s and id = %(document)s::uuid and version = %(version)s
union all
select document_id::text, version, documents.names(place), key, value, body, metadata, sha256, written_at, written_by,
    ended_at, ended_by, redacted_at is not null
from documents.versions
where space_id = %(space)s and document_id = %(document)s::uuid and version = %(version)s

-- name: write_again: have a document say what an earlier version said
update documents.documents d set value = v.value, body = v.body, metadata = v.metadata, user_name = v.user_name,
    index_paths = v.index_paths, written_by = %(writer)s, updated_at = greatest(d.updated_at, %(now)s)
from documents.versions v
where d.space_id = %(space)s and d.id = %(document)s::uuid and v.space_id = %(space)s and v.document_id = d.id
    and v.version = %(version)s

-- name: bring_back: have a document that was removed stand again, with the id and the versions that it had
insert into documents.documents (id, place, key, value, body, metadata, user_name, index_paths, written_by, created_at,
    updated_at, version)
select document_id, place, key, value, body, metadata, user_name, index_paths, %(writer)s, created_at, %(now)s,
    (select max(version) + 1 from documents.versions where space_id = %(space)s and document_id = %(document)s::uuid)
from documents.versions
where space_id = %(space)s and document_id = %(document)s::uuid and version = %(version)s

-- name: redact: take the content of an earlier version out for good
update documents.versions set redacted_at = %(now)s
where space_id = %(space)s and document_id = %(document)s::uuid and version = %(version)s and redacted_at is null

-- name: may_return: have what goes from now on come again when its source is imported again, or not
select set_config('quipu.may_return', %(on)s, true)

-- name: expire: take out documents that have expired, with their versions
with gone as (
    delete from documents.documents
    where space_id = %(space)s and expires_at <= %(now)s
    returning id
)
delete from documents.versions where space_id = %(space)s and document_id in (select id from gone)

-- name: prune: take out versions that ended before a time
delete from documents.versions where space_id = %(space)s and ended_at < %(before)s

-- name: cited: the passages of entries, with where they stand
select p.entry_id, p.text, p.happened_at, d.created_at, array_to_string(documents.names(d.place) || d.key, '/'),
    p.heading, p.first_line, p.field, d.user_name, d.metadata
from documents.passages p
join documents.documents d on d.space_id = p.space_id and d.id = p.document_id
where p.space_id = %(space)s and p.entry_id = any(%(ids)s::int8[])

-- name: passages_of: which documents entries are of, and where in these
select entry_id, document_id::text, text, field, heading, first_line
from documents.passages
where space_id = %(space)s and entry_id = any(%(ids)s::int8[])

-- name: passages: the passages of a document in its order; one row without text where it has none
select p.field, p.text, p.heading, p.first_line
from documents.documents d
left join documents.passages p on p.space_id = d.space_id and p.document_id = d.id
where d.space_id = %(space)s and d.place = %(place)s and d.key = %(key)s
    and (d.expires_at is null or d.expires_at > %(now)s)
order by p.number
limit %(limit)s offset %(offset)s

-- name: expired: which entries are of documents that have expired
select p.entry_id
from documents.passages p
join documents.documents d on d.space_id = p.space_id and d.id = p.document_id
where p.space_id = %(space)s and p.entry_id = any(%(ids)s::int8[]) and d.expires_at <= %(now)s

-- name: doomed: documents that an erasure takes, standing or removed, and how many versions they have
with doomed as (
    select id
    from documents.documents
    where space_id = %(space)s
        and (%(everything)s or user_name = %(user)s::text
            or place >= %(first)s::text and place < %(behind)s::text and (%(key)s::text is null
                or place = %(first)s and key = %(key)s))
    union
    select document_id
    from documents.versions
    where space_id = %(space)s
        and (%(everything)s or user_name = %(user)s::text
            or place >= %(first)s::text and place < %(behind)s::text and (%(key)s::text is null
                or place = %(first)s and key = %(key)s))
)
select id::text, exists (select from documents.documents o where o.space_id = %(space)s and o.id = doomed.id),
    (select count(*) from documents.versions v where v.space_id = %(space)s and v.document_id = doomed.id)
from doomed

-- name: entries_of: the entries of documents
select entry_id
from documents.passages
where space_id = %(space)s and document_id = any(%(ids)s::text[]::uuid[]) and entry_id is not null

-- name: erase: take documents out for good, with every version
with gone as (
    delete from documents.documents where space_id = %(space)s and id = any(%(ids)s::text[]::uuid[])
)
delete from documents.versions where space_id = %(space)s and document_id = any(%(ids)s::text[]::uuid[])

-- name: waiting: how many passages the index does not know
select count(*) from documents.passages where space_id = %(space)s and entry_id is null

-- name: hold: nothing; passages are held each by itself
select 1

-- name: unindexed: passages that the index does not know
select id, text, user_name as "user", happened_at, happened_at as recorded_at
from documents.passages
where space_id = %(space)s and entry_id is null
order by id
limit %(limit)s

-- name: held: of these passages those that the index does not know still, held; what others hold is left out
select id from documents.passages
where space_id = %(space)s and id = any(%(ids)s::uuid[]) and entry_id is null
order by id
for update skip locked

-- name: filed: the entries of passages
update documents.passages p set entry_id = g.entry
from unnest(%(ids)s::uuid[], %(entries)s::int8[]) as g (id, entry)
where p.space_id = %(space)s and p.id = g.id

-- name: settle: recalls need not look any more, unless something waits
update core.spaces set unindexed = unindexed & ~64
where id = %(space)s and unindexed & 64 <> 0
    and not exists (select from documents.passages where space_id = %(space)s and entry_id is null)
