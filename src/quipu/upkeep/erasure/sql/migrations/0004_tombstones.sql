-- What was erased is known again by keyed hashes, so that a recording which is read again does not bring it back.

set local role quipu_owner;

create table core.tombstones (
    hash bytea primary key check (octet_length(hash) = 32),
    until timestamptz not null,
    noted_at timestamptz not null
);
comment on table core.tombstones is
    'Of no space, for it outlives them: what was erased, as keyed hashes. The application has functions for it, no right.';
comment on column core.tombstones.until is 'What happened later is not meant; infinity of a line.';
comment on column core.tombstones.noted_at is
    'By the clock of the server: what is being taken in at this time takes in no more of it.';

-- A line is known by its id alone where that is a UUID, for a session that is resumed copies the lines of the one before.
create function core.tombstone_parts(space text, kind text, session text, id text) returns text[]
    language sql immutable
    as $$
    select case when kind <> 'line' or id like '________-____-____-____-____________' then array[space, kind, id]
        else array[space, kind, session, id] end
    $$;

create function core.tombstone(secret bytea, parts text[]) returns bytea
    language sql stable
    as $$ select sha256(secret || sha256(convert_to(parts::text, 'UTF8'))) $$;
comment on function core.tombstone(bytea, text[]) is 'The hash of what was erased: of a key of the database and of what identifies it.';

create function core.note_erased(space text, kind text, sessions text[], ids text[], until timestamptz) returns void
    language plpgsql volatile security definer set search_path = pg_catalog
    as $$
    declare
        secret constant bytea := (select c.names_key from core.erasure_chain c);
        noted_at constant timestamptz := clock_timestamp();
    begin
        insert into core.tombstones as t (hash, until, noted_at)
        select distinct core.tombstone(secret, core.tombstone_parts(space, kind, l.session, l.id)), note_erased.until, noted_at
        from unnest(sessions, ids) as l (session, id)
        union
        select core.tombstone(secret, array[space]), 'infinity', noted_at
        on conflict (hash) do update set
            until = greatest(t.until, excluded.until), noted_at = greatest(t.noted_at, excluded.noted_at);
    end
    $$;
comment on function core.note_erased(text, text, text[], text[], timestamptz) is
    'Notes that lines, prompts, sessions, users or everything of a space were erased, as far as they happened until then.';

create function core.has_erased(space text) returns boolean
    language sql stable security definer set search_path = pg_catalog
    as $$
    select exists (
        select from core.tombstones t, core.erasure_chain c where t.hash = core.tombstone(c.names_key, array[space]))
    $$;
comment on function core.has_erased(text) is 'Whether anything was ever erased in a space of this name.';

create function core.erased_sessions(space text, names text[]) returns setof text
    language sql stable security definer set search_path = pg_catalog
    as $$
    select n.name from core.erasure_chain c, unnest(names) as n (name)
    where exists (select from core.tombstones t where t.hash = core.tombstone(c.names_key, array[space, 'session', n.name]))
    $$;
comment on function core.erased_sessions(text, text[]) is 'Of sessions, which were once erased.';

create function core.erased_among(space text, kind text, sessions text[], ids text[], times timestamptz[], users text[],
    speakers text[], began timestamptz) returns setof integer
    language plpgsql stable security definer set search_path = pg_catalog
    as $$
    declare
        secret constant bytea := (select c.names_key from core.erasure_chain c);
    begin
        if not core.has_erased(space) then
            return;
        end if;
        return query
        with lines as materialized (
            select * from unnest(sessions, ids, times, users, speakers)
                with ordinality as l (session, id, happened_at, person, speaker, place)
        ), everything as materialized (
            select from core.tombstones t
            where t.hash = core.tombstone(secret, array[space, 'everything', '']) and t.noted_at >= began
        ), gone as materialized (
            select d.session, t.until, t.noted_at >= began as just_now
            from (select distinct session from lines) d
            join core.tombstones t on t.hash = core.tombstone(secret, array[space, 'session', d.session])
        ), people as materialized (
            select d.person
            from (select person from lines union select speaker from lines) d
            join core.tombstones t on t.hash = core.tombstone(secret, array[space, 'user', d.person])
            where t.noted_at >= began
        )
        select l.place::integer from lines l
        where exists (select from everything)
            or exists (select from gone g where g.session = l.session and (g.just_now or g.until >= l.happened_at))
            or exists (select from people p where p.person in (l.person, l.speaker))
            or exists (
                select from core.tombstones t
                where t.hash = core.tombstone(secret, core.tombstone_parts(space, kind, coalesce(l.session, ''), l.id))
                    and t.until >= coalesce(l.happened_at, 'infinity'));
    end
    $$;
comment on function core.erased_among(text, text, text[], text[], timestamptz[], text[], text[], timestamptz) is
    'The places (1 …) of lines or prompts that were erased, or belong to what was erased since the work that reads them began.';

revoke execute on function core.note_erased(text, text, text[], text[], timestamptz), core.has_erased(text),
    core.erased_sessions(text, text[]), core.tombstone(bytea, text[]), core.tombstone_parts(text, text, text, text),
    core.erased_among(text, text, text[], text[], timestamptz[], text[], text[], timestamptz) from public;
grant execute on function core.note_erased(text, text, text[], text[], timestamptz), core.has_erased(text),
    core.erased_sessions(text, text[]),
    core.erased_among(text, text, text[], text[], timestamptz[], text[], text[], timestamptz) to quipu_app;

reset role;
