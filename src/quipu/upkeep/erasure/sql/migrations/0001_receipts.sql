set local role quipu_owner;

-- The proof of each erasure: what kind of thing was erased, when and how much, never its content or name.
create table core.erasures (
    space_id integer not null,
    id uuid not null default gen_random_uuid(),
    session_hash text,
    user_hash text,
    message_hash text,
    counts jsonb not null,
    erased_at timestamptz not null,
    name_hashes text[] not null default '{}',
    number bigint,
    space_number bigint,
    document jsonb,
    signature bytea check (octet_length(signature) = 64),
    of_receipt uuid,
    space_hash text,
    primary key (space_id, id),
    unique (space_id, number),
    check (num_nulls(number, space_number, document, signature) in (0, 4))
);
comment on table core.erasures is 'No reference to core.spaces: the proof outlives a space that was erased whole.';
comment on column core.erasures.user_hash is
    'SHA-256 of a key of the database and the SHA-256 of space and name: a restored snapshot is checked against it.';
comment on column core.erasures.name_hashes is 'The same of other names that were erased wherever they stood.';
comment on column core.erasures.document is 'What is signed; null before receipts were.';
comment on column core.erasures.of_receipt is 'Of a note on what is left on the disk: the receipt that it is about.';
comment on column core.erasures.space_hash is
    'Of a space that was forgotten whole: SHA-256 of a key of the database and the SHA-256 of its name and an empty name.';

call core.keep_in_space('core', array['erasures'], rights => 'select, insert');
create policy upkeep on core.erasures for select to quipu_owner using (true);

-- Receipts are signed and chained, and the hashes of names can no longer be guessed without a key of the database.
create table core.erasure_chain (
    id boolean primary key default true check (id),
    names_key bytea not null check (octet_length(names_key) = 32),
    signing_key bytea check (octet_length(signing_key) = 32),
    public_key bytea check (octet_length(public_key) = 32),
    number bigint not null default 0,
    digest bytea not null default decode(repeat('00', 32), 'hex') check (octet_length(digest) = 32),
    check ((signing_key is null) = (public_key is null))
);
comment on table core.erasure_chain is
    'Of no space: the keys of receipts, and the end of the chain of all of them. The application has functions for it, no right.';
comment on column core.erasure_chain.names_key is 'Hashes names, so that a name cannot be guessed from its hash without it.';
comment on column core.erasure_chain.signing_key is 'Ed25519, made when the first receipt is signed.';

insert into core.erasure_chain (names_key)
values (sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8')));

create function core.erasure_names_key() returns bytea
    language sql stable security definer set search_path = ''
    as $$ select names_key from core.erasure_chain $$;
comment on function core.erasure_names_key() is 'What names that were erased are hashed with.';

create function core.erasure_public_key() returns bytea
    language sql stable security definer set search_path = ''
    as $$ select public_key from core.erasure_chain $$;
comment on function core.erasure_public_key() is 'What receipts are verified with; null before the first.';

create function core.hold_erasure_chain(new_signing bytea, new_public bytea,
    out signing bytea, out number bigint, out digest bytea)
    language sql volatile security definer set search_path = ''
    as $$
    update core.erasure_chain c set
        signing_key = coalesce(c.signing_key, new_signing), public_key = coalesce(c.public_key, new_public)
    returning c.signing_key, c.number, c.digest
    $$;
comment on function core.hold_erasure_chain(bytea, bytea) is
    'The end of the chain, held until commit, with the key that signs: the given one where there is none yet.';

create function core.extend_erasure_chain(new_number bigint, new_digest bytea) returns boolean
    language sql volatile security definer set search_path = ''
    as $$
    update core.erasure_chain set number = new_number, digest = new_digest where number = new_number - 1
    returning true
    $$;
comment on function core.extend_erasure_chain(bigint, bytea) is 'Moves the end of the chain on by one receipt; null where that is not its next.';

revoke execute on function core.erasure_names_key(), core.erasure_public_key(),
    core.hold_erasure_chain(bytea, bytea), core.extend_erasure_chain(bigint, bytea) from public;

grant execute on function core.erasure_names_key(), core.erasure_public_key(),
    core.hold_erasure_chain(bytea, bytea), core.extend_erasure_chain(bigint, bytea) to quipu_app;

create function core.gone_space(wanted text, receipt uuid) returns integer
    language sql stable security definer set search_path = ''
    as $$ select space_id from core.erasures where space_hash = wanted and id = receipt $$;
comment on function core.gone_space(text, uuid) is
    'The number of a space that was forgotten whole; found by who knows its name and the id of its receipt.';

revoke execute on function core.gone_space(text, uuid) from public;

grant execute on function core.gone_space(text, uuid) to quipu_app;

-- What was erased is known again by keyed hashes, so that a recording which is read again does not bring it back.
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
