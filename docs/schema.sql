-- The schema after all migrations. Written by tools/dump_schema.py; do not edit.

CREATE SCHEMA core;

CREATE SCHEMA documents;

COMMENT ON SCHEMA documents IS 'Documents: a path, a key, a JSON value or a text, and every earlier version.';

CREATE SCHEMA episodes;

COMMENT ON SCHEMA episodes IS 'Conversations, and the episodes that they condense into.';

CREATE SCHEMA ledger;

COMMENT ON SCHEMA ledger IS 'Facts, assumptions, recommendations and their evidence.';

CREATE SCHEMA longterm;

COMMENT ON SCHEMA longterm IS 'What to know about a person: retrieved before the agent, evaluated after it.';

CREATE SCHEMA queue;

COMMENT ON SCHEMA queue IS 'The tables of SAQ, which hands jobs to workers.';

CREATE SCHEMA tables;

COMMENT ON SCHEMA tables IS 'The schemas of agents, who may use them, and what is in them.';

CREATE SCHEMA transcripts;

COMMENT ON SCHEMA transcripts IS 'Recorded sessions of coding agents, and the memories extracted from them.';

CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public;

COMMENT ON EXTENSION pg_trgm IS 'text similarity measurement and index searching based on trigrams';

CREATE EXTENSION IF NOT EXISTS pgcrypto WITH SCHEMA public;

COMMENT ON EXTENSION pgcrypto IS 'cryptographic functions';

CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public;

COMMENT ON EXTENSION vector IS 'vector data type and ivfflat and hnsw access methods';

CREATE TYPE ledger.appended AS (
	problem text,
	detail text,
	event_id bigint,
	event_type text,
	created_at timestamp with time zone,
	expires_at timestamp with time zone,
	session_id uuid,
	distinct_id text,
	turn_index integer,
	stands boolean,
	before_id bigint,
	before_value jsonb,
	before_source text,
	before_assumed boolean,
	before_cap text,
	before_turn integer,
	before_at timestamp with time zone,
	before_expires_at timestamp with time zone
);

COMMENT ON TYPE ledger.appended IS 'What came of an append: a problem and nothing else; or the event (none if it would have changed nothing) and what stood before.';

CREATE TYPE longterm.importance AS ENUM (
    'low',
    'medium',
    'high'
);

CREATE FUNCTION core.current_person() RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN NULLIF(current_setting('quipu.person'::text, true), ''::text);

COMMENT ON FUNCTION core.current_person() IS 'The person on whose behalf this transaction is; null: nobody''s, and then the role quipu_person sees nothing.';

CREATE FUNCTION core.current_space() RETURNS integer
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (NULLIF(current_setting('quipu.space_id'::text, true), ''::text))::integer;

COMMENT ON FUNCTION core.current_space() IS 'The space of this transaction, or null: then row level security shows nothing.';

CREATE TABLE core.messages (
    space_id integer NOT NULL,
    id bigint NOT NULL,
    session_id bigint,
    external_id text NOT NULL,
    role text NOT NULL,
    speaker text,
    user_name text,
    happened_at timestamp with time zone NOT NULL,
    recorded_at timestamp with time zone NOT NULL,
    redacted integer DEFAULT 0 NOT NULL,
    content text NOT NULL,
    item text,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    agent_id text GENERATED ALWAYS AS ("left"((metadata ->> 'agent_id'::text), 512)) STORED,
    app_id text GENERATED ALWAYS AS ("left"((metadata ->> 'app_id'::text), 512)) STORED,
    run_id text GENERATED ALWAYS AS ("left"((metadata ->> 'run_id'::text), 512)) STORED,
    CONSTRAINT messages_external_id_check CHECK (((char_length(external_id) >= 1) AND (char_length(external_id) <= 512))),
    CONSTRAINT messages_item_check CHECK ((json_typeof((item)::json) = 'object'::text)),
    CONSTRAINT messages_metadata_check CHECK ((jsonb_typeof(metadata) = 'object'::text)),
    CONSTRAINT messages_redacted_check CHECK ((redacted >= 0)),
    CONSTRAINT messages_role_check CHECK (((char_length(role) >= 1) AND (char_length(role) <= 64)))
)
WITH (autovacuum_vacuum_insert_scale_factor='0.05');

ALTER TABLE ONLY core.messages FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN core.messages.id IS 'The id of its entry in core.recall_entries.';

COMMENT ON COLUMN core.messages.external_id IS 'The id that the caller gave, or one made for it.';

COMMENT ON COLUMN core.messages.role IS 'user, assistant, system, tool, or a word of the caller''s, which is none of these.';

COMMENT ON COLUMN core.messages.redacted IS 'How many secrets were cut out before it was written.';

COMMENT ON COLUMN core.messages.content IS 'The text that is indexed and read; empty where the message has only an item.';

COMMENT ON COLUMN core.messages.item IS 'The message as it came, as JSON, letter by letter: jsonb keeps no order, no 1e23, and no half a character.';

COMMENT ON COLUMN core.messages.agent_id IS 'Of the metadata, as app_id and run_id: under row level security no index on an expression of jsonb is used.';

CREATE TABLE core.sessions (
    space_id integer NOT NULL,
    id bigint NOT NULL,
    name text NOT NULL,
    messages bigint DEFAULT 0 NOT NULL,
    started_at timestamp with time zone,
    last_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    uid uuid GENERATED ALWAYS AS (
CASE
    WHEN (name ~ '^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$'::text) THEN (name)::uuid
    ELSE (md5(((space_id || '/'::text) || name)))::uuid
END) STORED NOT NULL,
    distinct_id text,
    belongs_to text DEFAULT core.current_person(),
    verbatim boolean DEFAULT false NOT NULL,
    CONSTRAINT sessions_belongs_to_check CHECK ((char_length(belongs_to) <= 512)),
    CONSTRAINT sessions_distinct_id_check CHECK (((char_length(distinct_id) >= 1) AND (char_length(distinct_id) <= 512))),
    CONSTRAINT sessions_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 512)))
)
WITH (fillfactor='70');

ALTER TABLE ONLY core.sessions FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN core.sessions.name IS 'The id that the caller gave.';

COMMENT ON COLUMN core.sessions.started_at IS 'When its oldest message was said; last_at the newest.';

COMMENT ON COLUMN core.sessions.uid IS 'The name where that is a uuid, else made from it: the same in every copy of the database.';

COMMENT ON COLUMN core.sessions.distinct_id IS 'Whose session it is, where a kind of memory was told; it is erased with the person.';

COMMENT ON COLUMN core.sessions.belongs_to IS 'The one user whose session it is; empty: several, or one who was forgotten; null: nobody was named yet.';

COMMENT ON COLUMN core.sessions.verbatim IS 'Items of its messages are kept as they came, with secrets in them.';

CREATE FUNCTION core.are_of_person(numbers bigint[]) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    RETURN (NOT (EXISTS (SELECT FROM (core.messages m LEFT JOIN core.sessions s ON (((s.space_id = m.space_id) AND (s.id = m.session_id)))) WHERE ((m.space_id = core.current_space()) AND (m.id = ANY (are_of_person.numbers)) AND (COALESCE(m.user_name, s.belongs_to) IS DISTINCT FROM core.current_person())))));

COMMENT ON FUNCTION core.are_of_person(numbers bigint[]) IS 'Whether these messages, those that are still there, belong to the person of this transaction alone.';

CREATE FUNCTION core.ask_for_space() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
    perform core.write_by_hand(core.entered());
    return case lower(tg_op) when 'delete' then old else new end;
end
$$;

COMMENT ON FUNCTION core.ask_for_space() IS 'For a view, before the trigger that writes (in the order of their names).';

CREATE FUNCTION core.ask_for_space_in(schema text) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
    place regclass;
    events text;
begin
    for place in
        select adrelid::regclass from pg_attrdef d
        join pg_class c on c.oid = d.adrelid and c.relnamespace = schema::regnamespace
        where pg_get_expr(d.adbin, d.adrelid) = 'core.current_space()'
    loop
        execute format('alter table %s alter column space_id set default core.entered()', place);
    end loop;
    for place, events in
        select t.tgrelid::regclass, concat_ws(' or ', case when bit_or(t.tgtype) & 4 > 0 then 'insert' end,
            case when bit_or(t.tgtype) & 8 > 0 then 'delete' end, case when bit_or(t.tgtype) & 16 > 0 then 'update' end)
        from pg_trigger t
        join pg_class c on c.oid = t.tgrelid and c.relkind = 'v' and c.relnamespace = schema::regnamespace
        where t.tgtype & 64 > 0
        group by t.tgrelid
    loop
        execute format('create trigger ask_for_space instead of %s on %s for each row'
            ' execute function core.ask_for_space()', events, place);
    end loop;
end
$$;

COMMENT ON FUNCTION core.ask_for_space_in(schema text) IS 'Has rows of a schema ask for the space that was entered, and its views as well.';

CREATE FUNCTION core.be_given_entry() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    before bigint;
begin
    if lower(tg_op) = 'update' then
        before := old.entry_id;
    end if;
    if new.entry_id is null and core.is_withdrawn(before) then
        perform core.leave_unindexed(tg_argv[0]::integer, new.space_id);
        return new;
    end if;
    if new.space_id = core.entered() and (
            new.entry_id is null and not core.is_filed(before)
            or exists (
                select from core.recall_entries e
                where e.space_id = new.space_id and e.id = new.entry_id and e.source_table = tg_table_name
                    and e.source_id = new.id::text)
            and not core.is_withdrawn(new.entry_id)) then
        return new;
    end if;
    new.entry_id := before;
    return new;
end
$$;

COMMENT ON FUNCTION core.be_given_entry() IS 'For a table with entry_id: an entry that is not of its row is passed over, and one that is stays until it is taken out; its argument is the code of the kind. Fires before the triggers that follow a change.';

CREATE FUNCTION core.count_api_keys() RETURNS bigint
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$ select count(*) from core.api_keys where revoked_at is null $$;

COMMENT ON FUNCTION core.count_api_keys() IS 'How many keys open anything.';

CREATE FUNCTION core.count_api_keys_of_person(person text) RETURNS bigint
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
    select count(*) from core.api_keys where space = current_setting('quipu.space', true) and user_name = person
    $$;

COMMENT ON FUNCTION core.count_api_keys_of_person(person text) IS 'How many keys are bound to a user of the space of this transaction.';

CREATE FUNCTION core.count_api_keys_of_space() RETURNS bigint
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$ select count(*) from core.api_keys where space = current_setting('quipu.space', true) $$;

COMMENT ON FUNCTION core.count_api_keys_of_space() IS 'How many keys the space of this transaction has, revoked ones too.';

CREATE FUNCTION core.do_at_commit() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    entered constant text := coalesce(current_setting('quipu.space', true), '');
    entered_id constant text := coalesce(current_setting('quipu.space_id', true), '');
    kinds integer;
    doomed bigint[];
begin
    perform set_config('quipu.space', new.space, true), set_config('quipu.space_id', new.space_id::text, true);
    -- The first row does it for all of its space: those after it find none.
    with done as (
        delete from core.at_commit where space_id = new.space_id returning kind, gone
    )
    select (select bit_or(1 << (kind - 1)) from done), array(select unnest(gone) from done) into kinds, doomed;
    -- What is read committed sees what others left; an older snapshot does not know whether that was filed meanwhile.
    update core.spaces set unindexed = unindexed | kinds
    where id = new.space_id and kinds is not null
        and (unindexed & kinds <> kinds or current_setting('transaction_isolation') <> 'read committed');
    if doomed <> '{}' then
        update core.spaces s set
            entries = s.entries - g.entries, tokens = s.tokens - g.tokens, mixed_tokens = s.mixed_tokens - g.mixed_tokens,
            version = s.version + 1
        from (
            select count(*) as entries, sum(tokens) as tokens, sum(mixed_tokens::float8) as mixed_tokens
            from core.recall_entries where space_id = new.space_id and id = any(doomed)
        ) g
        where s.id = new.space_id and g.entries > 0;
        if found then
            perform core.take_out(doomed);
        end if;
    end if;
    perform set_config('quipu.space', entered, true), set_config('quipu.space_id', entered_id, true);
    return null;
end
$$;

CREATE FUNCTION core.drop_api_keys_of_person(person text) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO ''
    AS $$
    delete from core.api_keys where space = current_setting('quipu.space', true) and user_name = person
    $$;

COMMENT ON FUNCTION core.drop_api_keys_of_person(person text) IS 'Forgets the keys bound to a user, and with them their name.';

CREATE FUNCTION core.drop_api_keys_of_space() RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO ''
    AS $$
    with gone as (delete from core.api_keys where space = current_setting('quipu.space', true) returning 1)
    select count(*) from gone
    $$;

COMMENT ON FUNCTION core.drop_api_keys_of_space() IS 'Forgets the keys of the space of this transaction, and with them its name.';

CREATE FUNCTION core.drop_empty_sessions(gone bigint[]) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
    one bigint;
begin
    foreach one in array gone loop
        begin
            delete from core.sessions where space_id = core.current_space() and id = one and messages = 0;
        exception when foreign_key_violation then
            null;
        end;
    end loop;
end
$$;

COMMENT ON FUNCTION core.drop_empty_sessions(gone bigint[]) IS 'Deletes sessions of the space that was entered, where nothing was said and no other kind of memory refers to them.';

CREATE FUNCTION core.drop_ended_signins(at timestamp with time zone) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO ''
    AS $$ with gone as (delete from core.signins where ends_at <= at returning 1) select count(*) from gone $$;

COMMENT ON FUNCTION core.drop_ended_signins(at timestamp with time zone) IS 'Drops links and sessions that have ended; how many.';

CREATE FUNCTION core.drop_kept_answers(before timestamp with time zone) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO ''
    AS $$
    with gone as (
        delete from core.kept_answers where begun_at < before or begun_at > before + interval '2 days' returning 1
    ) select count(*) from gone
    $$;

COMMENT ON FUNCTION core.drop_kept_answers(before timestamp with time zone) IS 'Drops those of all spaces that were begun before, or two days after it, which is a day from now; how many.';

CREATE FUNCTION core.drop_origins() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
    places text[];
    ids text[];
begin
    with dropped as (
        delete from core.origins o using gone g
        where o.space_id = g.space_id and o.target_id = (to_jsonb(g) ->> tg_argv[0])::uuid
            and not exists (select from documents.documents d where d.space_id = o.space_id and d.id = o.target_id)
            and not exists (select from documents.versions v where v.space_id = o.space_id and v.document_id = o.target_id)
        returning 'import:' || o.source || ':' || o.kind as place, o.source_id
    )
    select array_agg(d.place), array_agg(d.source_id) into places, ids from dropped d;
    if places is not null and coalesce(current_setting('quipu.may_return', true), '') <> 'on' then
        perform core.note_erased(current_setting('quipu.space'), 'line', places, ids, 'infinity');
    end if;
    return null;
end
$$;

COMMENT ON FUNCTION core.drop_origins() IS 'Drops the origins of what was deleted; a document has one as long as it has versions.';

CREATE FUNCTION core.drop_origins_of_messages() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
    delete from core.origins o using gone g where o.space_id = g.space_id and o.message_id = g.id;
    return null;
end
$$;

CREATE FUNCTION core.drop_raw() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
    update core.origins set raw = null where space_id = new.space_id and target_id = new.document_id and raw is not null;
    return null;
end
$$;

CREATE PROCEDURE core.end_by_relations(IN place text, IN name text, IN sources text, IN owner text, IN rests text DEFAULT 'true'::text, IN by_rule text DEFAULT 'false'::text)
    LANGUAGE plpgsql
    AS $_$
begin
    execute format($x$
create function %1$I.settle_validity(ids uuid[]) returns void
    language sql volatile
    as $f$
update %1$I.%2$I m
set valid_until = least(m.told_until, v.ended)
from unnest(ids) as t (id)
cross join lateral (
    select min(n.happened_at) as ended
    from %1$I.%2$I x
    cross join lateral (
        select s.message_id from %1$I.%3$I s where s.space_id = x.space_id and s.%4$I = x.id and %5$s
    ) o
    join core.relations r on r.space_id = x.space_id and r.older = o.message_id
        and r.removed_at is null and (r.made_by in ('person', 'source') or %6$s)
    join core.messages n on n.space_id = r.space_id and n.id = r.newer
    where x.space_id = core.current_space() and x.id = t.id
        and not exists (
            select from %1$I.%3$I s
            join core.messages l on l.space_id = s.space_id and l.id = s.message_id
            where s.space_id = x.space_id and s.%4$I = x.id and %5$s and l.happened_at >= n.happened_at)
) v
where m.space_id = core.current_space() and m.id = t.id and m.valid_until is distinct from least(m.told_until, v.ended)
$f$;

create function %1$I.follow_relation() returns trigger
    language plpgsql volatile security definer set search_path = ''
    as $f$
begin
    if %7$s or new.made_by in ('person', 'source') or old.made_by in ('person', 'source') then
        perform %1$I.settle_validity(array(
            select distinct %4$I from %1$I.%3$I
            where space_id = core.current_space() and message_id = coalesce(new.older, old.older)));
    end if;
    return null;
end
$f$;

create trigger end_%2$s after insert or delete or update of removed_at, made_by on core.relations
    for each row execute function %1$I.follow_relation();

create function %1$I.follow_sources() returns trigger
    language plpgsql volatile security definer set search_path = ''
    as $f$
declare
    here constant integer := core.current_space();
    source constant %1$I.%3$I := coalesce(new, old);
begin
    if exists (select from core.relations
                where space_id = here and (older = source.message_id or %7$s and newer = source.message_id))
        or exists (select from %1$I.%2$I
                where space_id = here and id = source.%4$I and valid_until is not null) then
        perform %1$I.settle_validity(array(
            select source.%4$I
            union
            select s.%4$I from core.relations r
            join %1$I.%3$I s on s.space_id = r.space_id and s.message_id = r.older
            where %7$s and r.space_id = here and r.newer = source.message_id));
    end if;
    return null;
end
$f$;

create trigger follow_sources after insert or delete on %1$I.%3$I
    for each row execute function %1$I.follow_sources();
        $x$, place, name, sources, owner, rests, by_rule, (by_rule <> 'false')::text);
end
$_$;

CREATE TABLE core.spaces (
    id integer NOT NULL,
    name text NOT NULL,
    languages text[] DEFAULT '{}'::text[] NOT NULL,
    entries bigint DEFAULT 0 NOT NULL,
    tokens bigint DEFAULT 0 NOT NULL,
    mixed_tokens double precision DEFAULT 0 NOT NULL,
    threads bigint DEFAULT 0 NOT NULL,
    version bigint DEFAULT 0 NOT NULL,
    epoch bigint DEFAULT 0 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    generation smallint,
    unindexed integer DEFAULT 0 NOT NULL,
    mark_key bytea DEFAULT sha256((uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))) NOT NULL,
    CONSTRAINT spaces_mark_key_check CHECK ((octet_length(mark_key) = 32)),
    CONSTRAINT spaces_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 512)))
)
WITH (fillfactor='50');

ALTER TABLE ONLY core.spaces FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN core.spaces.version IS 'Counts the writes; entries carry the version they were written in.';

COMMENT ON COLUMN core.spaces.epoch IS 'Counts the erasures; whoever holds a copy of the space drops it when this changes.';

COMMENT ON COLUMN core.spaces.generation IS 'core.recall_generations.id of the vectors that are searched here; null before the first entry.';

COMMENT ON COLUMN core.spaces.unindexed IS 'Kinds that wrote since they were last filed: the bit 1 << (code - 1) of core.recall_kinds.';

COMMENT ON COLUMN core.spaces.mark_key IS 'The secret of the space by which memory that was put into a prompt is recognised. No view shows it.';

CREATE FUNCTION core.enter(space text) RETURNS core.spaces
    LANGUAGE plpgsql
    AS $$
declare
    found core.spaces;
begin
    perform set_config('quipu.space', space, true), set_config('quipu.space_id', '', true);
    select * into found from core.spaces where name = space;
    if found.id is not null then
        perform set_config('quipu.space_id', found.id::text, true);
    end if;
    return found;
end
$$;

COMMENT ON FUNCTION core.enter(space text) IS 'Makes this transaction see that space and no other; a row of nulls where there is none yet.';

CREATE FUNCTION core.refuse_unentered() RETURNS integer
    LANGUAGE plpgsql STABLE
    AS $$
begin
    raise exception 'the space was not entered'
        using errcode = 'object_not_in_prerequisite_state',
            hint = 'Before it, in the same transaction: select core.enter(''NAME of the space'');';
end
$$;

CREATE FUNCTION core.entered() RETURNS integer
    LANGUAGE sql STABLE
    RETURN COALESCE(core.current_space(), core.refuse_unentered());

COMMENT ON FUNCTION core.entered() IS 'The space of this transaction; without one an error that says how to enter one.';

CREATE FUNCTION core.equip_people() RETURNS void
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    grant execute on function pg_advisory_xact_lock(bigint), pg_advisory_xact_lock_shared(bigint),
        pg_advisory_xact_lock(integer, integer), pg_advisory_xact_lock_shared(integer, integer),
        pg_notify(text, text), pg_control_system(), pg_control_checkpoint(), pg_walfile_name(pg_lsn),
        pg_current_wal_insert_lsn(), pg_current_wal_flush_lsn(), pg_last_wal_replay_lsn() to quipu_person
    $$;

COMMENT ON FUNCTION core.equip_people() IS 'Gives quipu_person what it needs of what core.harden() takes from everybody; run by a superuser.';

CREATE FUNCTION core.erased_among(space text, kind text, sessions text[], ids text[], times timestamp with time zone[], users text[], speakers text[], began timestamp with time zone) RETURNS SETOF integer
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog'
    AS $$
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

COMMENT ON FUNCTION core.erased_among(space text, kind text, sessions text[], ids text[], times timestamp with time zone[], users text[], speakers text[], began timestamp with time zone) IS 'The places (1 …) of lines or prompts that were erased, or belong to what was erased since the work that reads them began.';

CREATE FUNCTION core.erased_sessions(space text, names text[]) RETURNS SETOF text
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog'
    AS $$
    select n.name from core.erasure_chain c, unnest(names) as n (name)
    where exists (select from core.tombstones t where t.hash = core.tombstone(c.names_key, array[space, 'session', n.name]))
    $$;

COMMENT ON FUNCTION core.erased_sessions(space text, names text[]) IS 'Of sessions, which were once erased.';

CREATE FUNCTION core.erasure_names_key() RETURNS bytea
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$ select names_key from core.erasure_chain $$;

COMMENT ON FUNCTION core.erasure_names_key() IS 'What names that were erased are hashed with.';

CREATE FUNCTION core.erasure_public_key() RETURNS bytea
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$ select public_key from core.erasure_chain $$;

COMMENT ON FUNCTION core.erasure_public_key() IS 'What receipts are verified with; null before the first.';

CREATE FUNCTION core.extend_erasure_chain(new_number bigint, new_digest bytea) RETURNS boolean
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO ''
    AS $$
    update core.erasure_chain set number = new_number, digest = new_digest where number = new_number - 1
    returning true
    $$;

COMMENT ON FUNCTION core.extend_erasure_chain(new_number bigint, new_digest bytea) IS 'Moves the end of the chain on by one receipt; null where that is not its next.';

CREATE TABLE core.api_keys (
    id text NOT NULL,
    name text NOT NULL,
    space text,
    level text NOT NULL,
    requests_per_minute integer NOT NULL,
    token_sha256 bytea NOT NULL,
    created_at timestamp with time zone NOT NULL,
    last_used_at timestamp with time zone,
    revoked_at timestamp with time zone,
    user_name text,
    CONSTRAINT api_keys_id_check CHECK ((id ~ '^[0-9a-f]{12}$'::text)),
    CONSTRAINT api_keys_level_check CHECK ((level = ANY (ARRAY['read'::text, 'write'::text, 'admin'::text]))),
    CONSTRAINT api_keys_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 512))),
    CONSTRAINT api_keys_of_person CHECK (((user_name IS NULL) OR ((space IS NOT NULL) AND (level <> 'admin'::text)))),
    CONSTRAINT api_keys_requests_per_minute_check CHECK (((requests_per_minute >= 1) AND (requests_per_minute <= 1000000))),
    CONSTRAINT api_keys_space_check CHECK (((char_length(space) >= 1) AND (char_length(space) <= 512))),
    CONSTRAINT api_keys_token_sha256_check CHECK ((octet_length(token_sha256) = 32)),
    CONSTRAINT api_keys_user_name_check CHECK (((char_length(user_name) >= 1) AND (char_length(user_name) <= 512)))
);

COMMENT ON TABLE core.api_keys IS 'Of no space: a key is looked up before a space is entered, and may be there before its space is.';

COMMENT ON COLUMN core.api_keys.space IS 'The one space that it opens; null: all of them.';

COMMENT ON COLUMN core.api_keys.user_name IS 'The one user of its space whose rows it sees and writes; null: everybody.';

CREATE FUNCTION core.find_api_key(wanted text) RETURNS SETOF core.api_keys
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$ select * from core.api_keys where id = wanted $$;

COMMENT ON FUNCTION core.find_api_key(wanted text) IS 'One key by its id: who has not got the id finds none.';

CREATE FUNCTION core.gone_space(wanted text, receipt uuid) RETURNS integer
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$ select space_id from core.erasures where space_hash = wanted and id = receipt $$;

COMMENT ON FUNCTION core.gone_space(wanted text, receipt uuid) IS 'The number of a space that was forgotten whole; found by who knows its name and the id of its receipt.';

CREATE FUNCTION core.harden() RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    ours constant text := (
        select string_agg(quote_ident(rolname), ', ')
        from pg_roles where rolname in ('quipu_owner', 'quipu_app', 'quipu_relay'));
    others constant text := case when to_regrole('quipu_see') is null then 'public' else 'public, quipu_see' end;
    taken text;
    count integer := 0;
begin
    revoke create on schema public from public;
    perform core.equip_people();
    for taken in select granted from core.open_rights() loop
        execute format('grant %s to %s', taken, ours);
        execute format('revoke %s from %s', taken, others);
        count := count + 1;
    end loop;
    return count;
end
$$;

COMMENT ON FUNCTION core.harden() IS 'Takes from PUBLIC what core.open_rights() lists and keeps it for our own roles; run by a superuser.';

CREATE FUNCTION core.has_erased(space text) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog'
    AS $$
    select exists (
        select from core.tombstones t, core.erasure_chain c where t.hash = core.tombstone(c.names_key, array[space]))
    $$;

COMMENT ON FUNCTION core.has_erased(space text) IS 'Whether anything was ever erased in a space of this name.';

CREATE PROCEDURE core.have_role(IN role text)
    LANGUAGE plpgsql
    AS $$
begin
    if not exists (select from pg_roles where rolname = role) then
        execute format('create role %I nologin', role);
    end if;
    if not pg_has_role(current_user, role, 'usage') then
        execute format('grant %I to %I', role, current_user);
    end if;
end
$$;

CREATE FUNCTION core.hold_erasure_chain(new_signing bytea, new_public bytea, OUT signing bytea, OUT number bigint, OUT digest bytea) RETURNS record
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO ''
    AS $$
    update core.erasure_chain c set
        signing_key = coalesce(c.signing_key, new_signing), public_key = coalesce(c.public_key, new_public)
    returning c.signing_key, c.number, c.digest
    $$;

COMMENT ON FUNCTION core.hold_erasure_chain(new_signing bytea, new_public bytea, OUT signing bytea, OUT number bigint, OUT digest bytea) IS 'The end of the chain, held until commit, with the key that signs: the given one where there is none yet.';

CREATE TABLE core.recall_entries (
    space_id integer NOT NULL,
    id bigint NOT NULL,
    version bigint NOT NULL,
    happened_at timestamp with time zone NOT NULL,
    recorded_at timestamp with time zone NOT NULL,
    kind smallint NOT NULL,
    by_user boolean NOT NULL,
    asks boolean NOT NULL,
    has_time boolean NOT NULL,
    speaker integer DEFAULT 0 NOT NULL,
    owner integer DEFAULT 0 NOT NULL,
    words integer NOT NULL,
    tokens integer NOT NULL,
    mixed_tokens real NOT NULL,
    language text NOT NULL,
    from_previous real DEFAULT 0 NOT NULL,
    from_before real DEFAULT 0 NOT NULL,
    from_next real DEFAULT 0 NOT NULL,
    source_table text,
    source_id text,
    field text,
    chunk integer DEFAULT 0 NOT NULL,
    content text,
    bits bit varying,
    terms integer[] DEFAULT '{}'::integer[] NOT NULL,
    CONSTRAINT recall_entries_from_before_check CHECK (((from_before >= (0)::double precision) AND (from_before <= (1)::double precision))),
    CONSTRAINT recall_entries_from_next_check CHECK (((from_next >= (0)::double precision) AND (from_next <= (1)::double precision))),
    CONSTRAINT recall_entries_from_previous_check CHECK (((from_previous >= (0)::double precision) AND (from_previous <= (1)::double precision))),
    CONSTRAINT recall_entries_mixed_tokens_check CHECK ((mixed_tokens >= (0)::double precision)),
    CONSTRAINT recall_entries_tokens_check CHECK ((tokens >= 0)),
    CONSTRAINT recall_entries_words_check CHECK ((words >= 0))
)
WITH (fillfactor='90', autovacuum_vacuum_insert_scale_factor='0.05', autovacuum_vacuum_scale_factor='0.05');
ALTER TABLE ONLY core.recall_entries ALTER COLUMN content SET STATISTICS 0;

ALTER TABLE ONLY core.recall_entries FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN core.recall_entries.version IS 'core.spaces.version of the write that last changed it.';

COMMENT ON COLUMN core.recall_entries.speaker IS 'core.recall_names.id, or 0 where nobody is named.';

COMMENT ON COLUMN core.recall_entries.owner IS 'The user whose memory this is: core.recall_names.id, or 0.';

COMMENT ON COLUMN core.recall_entries.words IS 'All words of the text.';

COMMENT ON COLUMN core.recall_entries.tokens IS 'Its terms, repetitions counted: the length that BM25 knows.';

COMMENT ON COLUMN core.recall_entries.mixed_tokens IS 'Its own tokens plus the inherited shares.';

COMMENT ON COLUMN core.recall_entries.language IS 'What its words were stemmed by.';

COMMENT ON COLUMN core.recall_entries.from_previous IS 'Share of the words and direction of entry id - 1 that this one inherits.';

COMMENT ON COLUMN core.recall_entries.from_before IS 'The same of entry id - 2.';

COMMENT ON COLUMN core.recall_entries.from_next IS 'The same of entry id + 1.';

COMMENT ON COLUMN core.recall_entries.content IS 'The text, where no other table of ours keeps it (messages keep their own).';

COMMENT ON COLUMN core.recall_entries.bits IS 'Signs of the context vector of the generation of the space, one bit a dimension.';

COMMENT ON COLUMN core.recall_entries.terms IS 'What its postings are filed under, so that they can be taken out again.';

CREATE FUNCTION core.is_filed(entry bigint) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    RETURN (EXISTS (SELECT FROM core.recall_entries e WHERE ((e.space_id = core.current_space()) AND (e.id = is_filed.entry))));

COMMENT ON FUNCTION core.is_filed(entry bigint) IS 'Whether the space has such an entry, whoever asks: a vector goes after its entry.';

CREATE FUNCTION core.is_left_alone(kind integer) RETURNS boolean
    LANGUAGE sql
    RETURN pg_try_advisory_xact_lock((731200 + kind), core.current_space());

COMMENT ON FUNCTION core.is_left_alone(kind integer) IS 'Whether no open transaction has left something of this kind unindexed, and none does until this one ends.';

CREATE FUNCTION core.is_signed_in(session bytea, at timestamp with time zone) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
    select exists (select from core.signins where token_sha256 = session and kind = 'session' and ends_at > at)
    $$;

COMMENT ON FUNCTION core.is_signed_in(session bytea, at timestamp with time zone) IS 'Is there such a session, which has not ended?';

CREATE TABLE core.at_commit (
    space_id integer NOT NULL,
    id bigint NOT NULL,
    space text DEFAULT current_setting('quipu.space'::text, true) NOT NULL,
    kind integer,
    gone bigint[]
);

ALTER TABLE ONLY core.at_commit FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE core.at_commit IS 'What open transactions of SQL leave to their end, when it is done and its row goes: nobody sees one of another.';

COMMENT ON COLUMN core.at_commit.kind IS 'Of this kind there is something that the index does not know: the code in core.recall_kinds.';

COMMENT ON COLUMN core.at_commit.gone IS 'These entries are to be taken out of the index.';

CREATE FUNCTION core.is_withdrawn(entry bigint) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    RETURN (EXISTS (SELECT FROM core.at_commit c WHERE ((c.space_id = core.current_space()) AND (is_withdrawn.entry = ANY (c.gone)))));

COMMENT ON FUNCTION core.is_withdrawn(entry bigint) IS 'Whether SQL has left an entry to be taken out when this transaction commits.';

CREATE FUNCTION core.is_written_by_hand() RETURNS boolean
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select exists (
        select from pg_locks
        where locktype = 'advisory' and classid = 731200 and objid = core.current_space() and objsubid = 2
            and database = (select oid from pg_database where datname = current_database()))
    $$;

COMMENT ON FUNCTION core.is_written_by_hand() IS 'Whether a transaction of SQL that wrote to this space is open still.';

CREATE FUNCTION core.jobs_go_with_their_session() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
    delete from core.outbox o using gone where o.space_id = gone.space_id and o.session = gone.name;
    return null;
end
$$;

CREATE FUNCTION core.joined_person(before text, another text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN (another IS NULL) THEN before WHEN ((before IS NULL) OR (before = another)) THEN another ELSE ''::text END;

COMMENT ON FUNCTION core.joined_person(before text, another text) IS 'Whose a session is, of which one person was known, and then another.';

CREATE PROCEDURE core.keep_filed(IN place text, IN name text, IN kind integer, IN live text, IN said text[])
    LANGUAGE plpgsql
    AS $_$
begin
    execute format($x$
create trigger unindex_inserted before insert on %1$I.%2$I
    for each row when (new.entry_id is null and %4$s) execute function core.unindex_row('%3$s');
create trigger unindex_updated before update on %1$I.%2$I
    for each row when (old.entry_id is not distinct from new.entry_id and (%5$s) is distinct from (%6$s))
    execute function core.unindex_row('%3$s');
create trigger unindex_deleted after delete on %1$I.%2$I
    referencing old table as gone for each statement execute function core.unindex_deleted();
create trigger be_given_entry before insert on %1$I.%2$I
    for each row when (new.entry_id is not null) execute function core.be_given_entry('%3$s');
create trigger be_given_entry_again before update on %1$I.%2$I
    for each row when (old.entry_id is distinct from new.entry_id) execute function core.be_given_entry('%3$s');
        $x$, place, name, kind, live, (select string_agg('old.' || c, ', ') from unnest(said) c),
        (select string_agg('new.' || c, ', ') from unnest(said) c));
    call core.keep_from_truncation(place, array[name]);
end
$_$;

CREATE PROCEDURE core.keep_from_truncation(IN place text, IN tables text[])
    LANGUAGE plpgsql
    AS $$
declare
    t text;
begin
    foreach t in array tables loop
        execute format('create trigger not_emptied before truncate on %I.%I for each statement'
            ' execute function core.refuse_statement(%L)', place, t,
            'Truncating leaves the index as it is: delete the rows, in the space that was entered.');
    end loop;
end
$$;

CREATE PROCEDURE core.keep_in_space(IN place text, IN tables text[], IN rights text DEFAULT 'select, insert, update, delete'::text, IN engine boolean DEFAULT false)
    LANGUAGE plpgsql
    AS $$
declare
    t text;
begin
    foreach t in array tables loop
        execute format('alter table %I.%I enable row level security', place, t);
        execute format('alter table %I.%I force row level security', place, t);
        execute format('create policy own_space on %I.%I using (space_id = (select core.current_space()))', place, t);
        if rights is not null then
            execute format('grant %s on %I.%I to quipu_app', rights, place, t);
        end if;
        if engine then
            execute format('create policy engine on %I.%I to quipu_owner using (true)', place, t);
        end if;
    end loop;
end
$$;

CREATE FUNCTION core.leave_unindexed(kind integer, space integer DEFAULT core.current_space()) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    perform core.write_by_hand(space);
    -- Until this transaction ends nobody says that all is filed: see core.is_left_alone.
    perform pg_advisory_xact_lock_shared(731200 + kind, space);
    insert into core.at_commit (space_id, kind)
    select leave_unindexed.space, leave_unindexed.kind
    where not exists (
        select from core.at_commit c where c.space_id = leave_unindexed.space and c.kind = leave_unindexed.kind);
end
$$;

COMMENT ON FUNCTION core.leave_unindexed(kind integer, space integer) IS 'Notes that a space holds what the index does not know, of the kind with that code in core.recall_kinds.';

CREATE FUNCTION core.moved_to(wanted text) RETURNS text
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$ select database from core.moved_spaces where space = wanted $$;

COMMENT ON FUNCTION core.moved_to(wanted text) IS 'The database to which a space went from here; null: it did not.';

CREATE FUNCTION core.name_is_used(number integer) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    RETURN ((EXISTS (SELECT FROM core.recall_entries e WHERE ((e.space_id = core.current_space()) AND (e.speaker = name_is_used.number)))) OR (EXISTS (SELECT FROM core.recall_entries e WHERE ((e.space_id = core.current_space()) AND (e.owner = name_is_used.number)))));

COMMENT ON FUNCTION core.name_is_used(number integer) IS 'Whether any entry of the space has this number, whoever asks.';

CREATE FUNCTION core.note_arrived(come text, number integer) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
    delete from core.moved_spaces where space = come;
    update core.spaces set name = come where id = number;
end
$$;

COMMENT ON FUNCTION core.note_arrived(come text, number integer) IS 'Gives a space that has come from elsewhere its name, by which it is found here from now on; null: it is gone.';

CREATE FUNCTION core.note_erased(space text, kind text, sessions text[], ids text[], until timestamp with time zone) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog'
    AS $$
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

COMMENT ON FUNCTION core.note_erased(space text, kind text, sessions text[], ids text[], until timestamp with time zone) IS 'Notes that lines, prompts, sessions, users or everything of a space were erased, as far as they happened until then.';

CREATE FUNCTION core.note_moved(gone text, home text) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO ''
    AS $$
    insert into core.moved_spaces (space, database) values (gone, home)
    on conflict (space) do update set database = excluded.database, moved_at = now()
    $$;

COMMENT ON FUNCTION core.note_moved(gone text, home text) IS 'Says to whoever looks for a space here that it is in another database.';

CREATE FUNCTION core.note_new_owner_of_session() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
    update core.sessions s set belongs_to = case
        when new.distinct_id is not null then core.joined_person(s.belongs_to, new.distinct_id)
        when s.belongs_to = old.distinct_id then ''
        else s.belongs_to end
    where s.space_id = new.space_id and s.id = new.id;
    return null;
end
$$;

CREATE FUNCTION core.note_owner_of_session() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
    new.belongs_to := core.joined_person(new.belongs_to, new.distinct_id);
    return new;
end
$$;

CREATE FUNCTION core.note_users_of_sessions() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
declare
    one record;
begin
    for one in
        select session_id, case when min(user_name) = max(user_name) then min(user_name) else '' end as person
        from added where session_id is not null and user_name is not null group by session_id
    loop
        update core.sessions s set belongs_to = core.joined_person(s.belongs_to, one.person)
        where s.space_id = core.current_space() and s.id = one.session_id
            and s.belongs_to is distinct from core.joined_person(s.belongs_to, one.person);
    end loop;
    return null;
end
$$;

CREATE TABLE core.recall_names (
    space_id integer NOT NULL,
    id integer NOT NULL,
    name text NOT NULL,
    CONSTRAINT recall_names_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 512)))
);

ALTER TABLE ONLY core.recall_names FORCE ROW LEVEL SECURITY;

CREATE FUNCTION core.number_of_person() RETURNS integer
    LANGUAGE sql STABLE
    RETURN (SELECT n.id FROM core.recall_names n WHERE ((n.space_id = (SELECT core.current_space() AS current_space)) AND (n.name = (SELECT core.current_person() AS current_person))));

COMMENT ON FUNCTION core.number_of_person() IS 'The number of the person of this transaction in core.recall_names.';

CREATE FUNCTION core.number_on() RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
    declare
        place record;
        reached bigint;
        given bigint;
    begin
        for place in
            select c.oid::regclass as relation, a.attname, s.oid::regclass as numbers
            from pg_class s
            join pg_depend d on d.objid = s.oid and d.classid = 'pg_class'::regclass and d.deptype = 'i'
            join pg_class c on c.oid = d.refobjid
            join pg_attribute a on a.attrelid = c.oid and a.attnum = d.refobjsubid
            where s.relkind = 'S' and exists (
                select from pg_attribute o where o.attrelid = c.oid and o.attname = 'space_id' and not o.attisdropped)
            union
            select c.oid::regclass, a.attname, s.oid::regclass
            from pg_attrdef f
            join pg_depend d on d.objid = f.oid and d.classid = 'pg_attrdef'::regclass and d.refclassid = 'pg_class'::regclass
            join pg_class s on s.oid = d.refobjid and s.relkind = 'S'
            join pg_class c on c.oid = f.adrelid
            join pg_attribute a on a.attrelid = c.oid and a.attnum = f.adnum
            where exists (
                select from pg_attribute o where o.attrelid = c.oid and o.attname = 'space_id' and not o.attisdropped)
            union
            select 'core.messages'::regclass, 'id', 'core.recall_alone'::regclass
            union
            select 'core.removed_messages'::regclass, 'id', 'core.recall_alone'::regclass
        loop
            execute format('select max(%1$I) from %2$s where space_id = core.current_space() and (%1$I < 0) = %3$L',
                place.attname, place.relation, place.numbers = 'core.recall_alone'::regclass) into reached;
            execute format('select last_value from %s', place.numbers) into given;
            if reached >= given then
                -- Others may take numbers between these two statements: the room is for them.
                perform setval(place.numbers, reached + 1000);
            end if;
        end loop;
    end
    $_$;

COMMENT ON FUNCTION core.number_on() IS 'Has the numbers of new rows go on above those that the space of this transaction has.';

CREATE FUNCTION core.number_set(setting text, otherwise double precision) RETURNS double precision
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
    select coalesce(
        (select (value #>> '{}')::float8 from core.space_settings
            where space_id = (select core.current_space()) and name = setting),
        (select (value #>> '{}')::float8 from core.settings where name = setting),
        otherwise)
    $$;

COMMENT ON FUNCTION core.number_set(setting text, otherwise double precision) IS 'What SQL goes by where no program asks: the number stored for the space or for all, or another.';

CREATE FUNCTION core.open_rights() RETURNS TABLE(granted text)
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select format('%s on table %I.%I', string_agg(distinct a.privilege_type, ', '), n.nspname, c.relname)
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    cross join lateral aclexplode(c.relacl) a
    where a.grantee in (0, coalesce(to_regrole('quipu_see'), 0))
        and n.nspname in ('pg_catalog', 'information_schema')
    group by n.nspname, c.relname
    union all
    select format('%s (%I) on table %I.%I', a.privilege_type, t.attname, n.nspname, c.relname)
    from pg_attribute t
    join pg_class c on c.oid = t.attrelid
    join pg_namespace n on n.oid = c.relnamespace
    cross join lateral aclexplode(t.attacl) a
    where a.grantee = 0 and n.nspname in ('pg_catalog', 'information_schema')
    union all
    select format('execute on %s %s', case p.prokind when 'p' then 'procedure' else 'function' end,
        p.oid::regprocedure)
    from pg_proc p
    cross join lateral (
        select case
            when p.proname in ('makeaclitem', 'acldefault', 'aclcontains', 'aclinsert', 'aclremove', 'aclitemeq',
                'hash_aclitem', 'hash_aclitem_extended') then false  -- they tell names of roles
            -- they look at tables by number
            when p.proname in ('satisfies_hash_partition', 'pg_partition_root') then false
            when p.provolatile = 'i' then true
            when p.prokind in ('a', 'w') then true
            when p.prorettype = 'trigger'::regtype or 'internal'::regtype = any(p.proargtypes::oid[]) then true
            when exists (select from pg_operator o where o.oprcode = p.oid) then true
            when exists (select from pg_cast c where c.castfunc = p.oid) then true
            when p.proname in ('nextval', 'setval', 'currval') then true  -- which ask for a right on the sequence
            -- How a type is read from text and written: a literal asks for no right on it, but a planner that
            -- guesses how many rows 'x'::text::date finds does.
            when p.proname in ('enum_in', 'enum_out') or exists (
                select from pg_type y
                where p.oid in (y.typinput, y.typoutput)
                    and y.typname not like 'reg%' and y.typname not in ('aclitem', 'pg_snapshot', 'txid_snapshot')
            ) then true
            when p.proargtypes::oid[] && array['oid', 'oidvector', 'xid', 'xid8', 'cid', 'tid', 'pg_lsn', 'cstring',
                'pg_snapshot', 'aclitem', 'aclitem[]', 'regclass', 'regproc', 'regprocedure', 'regtype', 'regrole',
                'regnamespace', 'regoper', 'regoperator', 'regcollation']::regtype[]::oid[] then false
            else p.proname = any(array[
                -- time
                'age', 'clock_timestamp', 'date_add', 'date_part', 'date_subtract', 'date_trunc', 'extract',
                'generate_series', 'make_timestamptz', 'now', 'overlaps', 'pg_sleep', 'pg_sleep_for',
                'pg_sleep_until', 'pg_timezone_abbrevs', 'pg_timezone_abbrevs_abbrevs', 'pg_timezone_abbrevs_zone',
                'pg_timezone_names', 'statement_timestamp', 'timeofday', 'timezone', 'to_char', 'to_date',
                'to_number', 'to_timestamp', 'transaction_timestamp',
                -- values
                'array_sample', 'array_shuffle', 'array_to_json', 'array_to_string', 'concat', 'concat_ws', 'convert',
                'convert_from', 'convert_to', 'enum_first', 'enum_last', 'enum_range', 'format', 'gen_random_uuid',
                'json_build_array', 'json_build_object', 'json_populate_record', 'json_populate_recordset',
                'json_strip_nulls', 'json_to_record', 'json_to_recordset', 'json_to_tsvector', 'jsonb_build_array',
                'jsonb_build_object', 'jsonb_path_exists_tz', 'jsonb_path_match_tz', 'jsonb_path_query_array_tz',
                'jsonb_path_query_first_tz', 'jsonb_path_query_tz', 'jsonb_populate_record',
                'jsonb_populate_record_valid', 'jsonb_populate_recordset', 'jsonb_strip_nulls', 'jsonb_to_record',
                'jsonb_to_recordset', 'jsonb_to_tsvector', 'length', 'pg_collation_for', 'pg_column_compression',
                'pg_column_size', 'pg_input_error_info', 'pg_input_is_valid', 'pg_typeof', 'quote_literal',
                'quote_nullable', 'random', 'random_normal', 'record_out', 'row_to_json', 'setseed', 'to_json', 'to_jsonb',
                'uuidv4', 'uuidv7', 'xml_is_well_formed',
                -- search in texts
                'get_current_ts_config', 'phraseto_tsquery', 'plainto_tsquery', 'to_tsquery', 'to_tsvector',
                'ts_headline', 'websearch_to_tsquery',
                -- oneself
                'current_database', 'current_query', 'current_schema', 'current_schemas', 'current_setting',
                'current_user', 'getdatabaseencoding', 'lastval', 'pg_backend_pid', 'pg_char_to_encoding',
                'pg_client_encoding', 'pg_current_xact_id', 'pg_encoding_to_char', 'pg_get_keywords',
                'pg_get_serial_sequence', 'pg_is_in_recovery', 'pg_trigger_depth', 'session_user', 'set_config', 'version'
                ])
        end as harmless
    ) h
    left join pg_depend d on d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e'
        and d.refclassid = 'pg_extension'::regclass
    left join pg_extension e on e.oid = d.refobjid
    where exists (
            select from aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a where a.grantee = 0)
        and case
            when p.pronamespace = 'pg_catalog'::regnamespace then not h.harmless
            when p.pronamespace = 'information_schema'::regnamespace then false
            when 'internal'::regtype = any(p.proargtypes::oid[]) then false
            when e.extname = 'pgcrypto' then true
            when e.extname = 'pg_trgm' then p.proname not in ('similarity', 'similarity_op', 'similarity_dist')
            else false
        end
    $$;

COMMENT ON FUNCTION core.open_rights() IS 'What everybody may do in this database and SQL of agents and readers must not; none where it was hardened.';

CREATE FUNCTION core.place_of(wanted text) RETURNS text
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
    select d.name from core.places p join core.databases d on d.number = p.database where p.space = wanted
    $$;

COMMENT ON FUNCTION core.place_of(wanted text) IS 'The name of the database that has a space; null: none has it yet.';

CREATE FUNCTION core.place_space(wanted text, home text) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
    insert into core.places (space, database) select wanted, number from core.databases where name = home
    on conflict (space) do nothing;
    return core.place_of(wanted);
end
$$;

COMMENT ON FUNCTION core.place_space(wanted text, home text) IS 'Gives a space to a database, if none has it; returns which one has it.';

CREATE FUNCTION core.recount_space() RETURNS void
    LANGUAGE sql
    AS $$
    update core.spaces s set
        (entries, tokens, mixed_tokens, languages) = (
            select count(*), coalesce(sum(tokens), 0), coalesce(sum(mixed_tokens::float8), 0),
                   coalesce(array_agg(distinct language order by language), '{}')
            from core.recall_entries where space_id = core.current_space()),
        threads = (select count(*) from core.recall_threads where space_id = core.current_space()),
        version = version + 1,
        epoch = epoch + 1
    where s.id = core.current_space()
    $$;

COMMENT ON FUNCTION core.recount_space() IS 'The counters of what is left after an erasure; every process drops its copy of the space.';

CREATE FUNCTION core.redeem_signin_link(link bytea, session bytea, at timestamp with time zone, until timestamp with time zone) RETURNS boolean
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO ''
    AS $$
    with redeemed as (
        delete from core.signins where token_sha256 = link and kind = 'link' and ends_at > at returning 1
    ), begun as (
        insert into core.signins (token_sha256, kind, ends_at) select session, 'session', until from redeemed returning 1
    ) select exists (select from begun)
    $$;

COMMENT ON FUNCTION core.redeem_signin_link(link bytea, session bytea, at timestamp with time zone, until timestamp with time zone) IS 'Exchanges a link for a session, once; false where the link is none, was used or has ended.';

CREATE FUNCTION core.refuse_statement() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    raise exception 'SQL cannot % rows of %.%', lower(tg_op), tg_table_schema, tg_table_name
        using errcode = 'feature_not_supported', hint = tg_argv[0];
end
$$;

COMMENT ON FUNCTION core.refuse_statement() IS 'For a view, in place of what it does not take: refuses a row; its argument is the hint.';

CREATE FUNCTION core.refuse_unwritten() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
    place constant text := format('%I.%I', tg_table_schema, tg_table_name);
    asked constant jsonb := to_jsonb(new);
    before constant jsonb := case lower(tg_op) when 'update' then to_jsonb(old) else '{}' end;
    here constant jsonb := coalesce(before -> 'space_id', to_jsonb(core.current_space()));
    shown jsonb;
    unwritten text;
begin
    execute format('select to_jsonb(v) from %s v where v.%I = %L and coalesce(to_jsonb(v) -> %L, $1) = $1', place,
            tg_argv[0], coalesce(before ->> tg_argv[0], asked ->> tg_argv[0]), 'space_id')
        into shown using here;
    select string_agg(a.key, ', ' order by a.key) into unwritten
    from jsonb_each(asked) a
    where a.value <> coalesce(before -> a.key, 'null')
        and case jsonb_typeof(a.value) when 'number'
            then abs(a.value::float8 - nullif(shown -> a.key, 'null')::float8) < 1e-9 end is not true
        and a.value is distinct from shown -> a.key
        and (lower(tg_op) = 'update' or a.key <> all(string_to_array(tg_argv[2], ', ')));
    if unwritten is not null then
        raise exception '% of % cannot be changed so', unwritten, place
            using errcode = 'feature_not_supported', hint = tg_argv[1];
    end if;
    return new;
end
$_$;

COMMENT ON FUNCTION core.refuse_unwritten() IS 'For a view, after the trigger that writes: refuses what the row does not show although it was asked for.';

CREATE FUNCTION core.reserve_language_tokens(on_day date, purpose_name text, wanted bigint, most bigint) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
    perform pg_advisory_xact_lock(7310522005);
    if (select coalesce(sum(b.tokens), 0) from core.language_budget b where b.day = on_day) + wanted > most then
        return false;
    end if;
    insert into core.language_budget as b (day, purpose, requests, tokens) values (on_day, purpose_name, 1, wanted)
    on conflict (day, purpose) do update set requests = b.requests + 1, tokens = b.tokens + excluded.tokens;
    return true;
end
$$;

COMMENT ON FUNCTION core.reserve_language_tokens(on_day date, purpose_name text, wanted bigint, most bigint) IS 'Sets tokens of a day aside for one request; false, and nothing changes, if the day has not so many left.';

CREATE FUNCTION core.settle_language_tokens(on_day date, purpose_name text, difference bigint) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO ''
    AS $$
    update core.language_budget set tokens = greatest(0, tokens + difference)
    where day = on_day and purpose = purpose_name
    $$;

COMMENT ON FUNCTION core.settle_language_tokens(on_day date, purpose_name text, difference bigint) IS 'Corrects what was set aside for a request to what it did cost.';

CREATE FUNCTION core.shared_sessions_of_person() RETURNS SETOF core.sessions
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
    select s.space_id, s.id, s.name, coalesce(m.messages, 0), m.started_at, m.last_at, coalesce(m.started_at, s.created_at),
        s.uid, null::text, ''::text, false
    from core.sessions s
    left join (
        select session_id, count(*) as messages, min(happened_at) as started_at, max(happened_at) as last_at
        from core.messages
        where space_id = core.current_space() and user_name = core.current_person()
        group by session_id
    ) m on m.session_id = s.id
    where s.space_id = core.current_space() and s.belongs_to is distinct from core.current_person()
        and (m.session_id is not null or s.uid in (
            select e.session_id from ledger.chat_memory_events e
            where e.space_id = core.current_space() and e.distinct_id = core.current_person()))
    $$;

COMMENT ON FUNCTION core.shared_sessions_of_person() IS 'Sessions that do not belong to the person of this transaction, but in which they said something.';

CREATE PROCEDURE core.show_with_row(IN place text, IN tables text[], IN key text, IN of regclass)
    LANGUAGE plpgsql
    AS $_$
declare
    t text;
begin
    foreach t in array tables loop
        execute format('create policy person on %1$I.%2$I as restrictive to quipu_person using (exists ('
            'select from %4$s o where o.space_id = %2$I.space_id and o.id = %2$I.%3$I))', place, t, key, of);
    end loop;
end
$_$;

CREATE PROCEDURE core.show_with_session(IN place text, IN tables text[], IN key text DEFAULT 'id'::text)
    LANGUAGE plpgsql
    AS $$
declare
    t text;
begin
    foreach t in array tables loop
        execute format('create policy person on %I.%I as restrictive to quipu_person using (session_id in ('
            'select s.%I from core.sessions s where s.space_id = (select core.current_space())))', place, t, key);
    end loop;
end
$$;

CREATE FUNCTION core.sign_out(session bytea) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO ''
    AS $$ delete from core.signins where token_sha256 = session and kind = 'session' $$;

COMMENT ON FUNCTION core.sign_out(session bytea) IS 'Ends a session in all servers of this database.';

CREATE FUNCTION core.space_was_erased(wanted text, since timestamp with time zone) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$ select exists (select from core.erasures where space_hash = wanted and erased_at >= since) $$;

COMMENT ON FUNCTION core.space_was_erased(wanted text, since timestamp with time zone) IS 'Whether a space was forgotten whole since a moment; asked by who knows its name, and so the hash of it.';

CREATE FUNCTION core.take_out(gone bigint[]) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
    here constant integer := core.current_space();
    people integer[];
begin
    update core.recall_terms t set entries = t.entries - g.entries
    from (
        select term, count(*) as entries
        from core.recall_entries
        cross join lateral unnest(terms) as u (term)
        where space_id = here and id = any(gone)
        group by term
    ) g
    where t.space_id = here and t.term = g.term;

    delete from core.recall_terms
    where space_id = here and entries = 0 and term = any(array(
        select unnest(terms) from core.recall_entries where space_id = here and id = any(gone)));

    delete from core.recall_postings p
    using (select id, unnest(terms) as term from core.recall_entries where space_id = here and id = any(gone)) t
    where p.space_id = here and p.term = t.term and p.entry_id = t.id;

    with removed as (
        delete from core.recall_entries where space_id = here and id = any(gone) returning id, tokens, speaker, owner
    ), shrunk as (
        update core.recall_threads t set tokens = t.tokens - g.tokens
        from (select id >> 24 as id, sum(tokens) as tokens from removed where id > 0 group by 1) g
        where t.space_id = here and t.id = g.id
    )
    select array_agg(distinct person) into people
    from removed cross join lateral (values (speaker), (owner)) as p (person)
    where person > 0;

    -- After their entries: whoever makes vectors for an entry holds it meanwhile, and is through by now.
    delete from core.recall_vectors where space_id = here and entry_id = any(gone);

    -- Each look ends at the first row that it finds, and usually finds one soon.
    with touched as materialized (
        select distinct g.id >> 24 as id from unnest(gone) as g (id) where g.id > 0
    ), left_over as materialized (
        select t.id,
               exists (
                   select from core.messages
                   where space_id = here and id between t.id << 24 and (t.id << 24) + 16777215
               ) or exists (
                   select from core.removed_messages
                   where space_id = here and id between t.id << 24 and (t.id << 24) + 16777215
               ) or exists (
                   select from core.recall_entries
                   where space_id = here and id between t.id << 24 and (t.id << 24) + 16777215
               ) as stays
        from touched t
    ), kept as (
        update core.recall_threads t set
            speakers = array(
                select s.speaker from unnest(t.speakers) as s (speaker)
                where exists (
                    select from core.recall_entries
                    where space_id = here and id between t.id << 24 and (t.id << 24) + 16777215
                        and speaker = s.speaker
                    offset 0)),
            with_assistant = t.with_assistant and exists (
                select from core.recall_entries
                where space_id = here and id between t.id << 24 and (t.id << 24) + 16777215 and not by_user
                offset 0)
        from left_over l
        where t.space_id = here and t.id = l.id and l.stays
    )
    delete from core.recall_threads t
    using left_over l
    where t.space_id = here and t.id = l.id and not l.stays;

    delete from core.recall_names where space_id = here and id = any(people) and not core.name_is_used(id);
end
$$;

COMMENT ON FUNCTION core.take_out(gone bigint[]) IS 'Takes entries of the space that was entered out of the index; what their neighbours inherited and the counters of the space stay as they were.';

CREATE FUNCTION core.tombstone(secret bytea, parts text[]) RETURNS bytea
    LANGUAGE sql STABLE
    AS $$ select sha256(secret || sha256(convert_to(parts::text, 'UTF8'))) $$;

COMMENT ON FUNCTION core.tombstone(secret bytea, parts text[]) IS 'The hash of what was erased: of a key of the database and of what identifies it.';

CREATE FUNCTION core.tombstone_parts(space text, kind text, session text, id text) RETURNS text[]
    LANGUAGE sql IMMUTABLE
    AS $$
    select case when kind <> 'line' or id like '________-____-____-____-____________' then array[space, kind, id]
        else array[space, kind, session, id] end
    $$;

CREATE FUNCTION core.touch_api_keys(used text[], at timestamp with time zone) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO ''
    AS $$
    update core.api_keys set last_used_at = at where id = any (used) and (last_used_at is null or last_used_at < at)
    $$;

COMMENT ON FUNCTION core.touch_api_keys(used text[], at timestamp with time zone) IS 'Notes when keys were last used.';

CREATE FUNCTION core.unindex_deleted() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
    taken constant bigint[] := array(select entry_id from gone where entry_id is not null);
begin
    if taken = '{}' then
        return null;
    end if;
    perform core.refuse_unentered() from gone g
        where g.entry_id is not null and g.space_id is distinct from core.current_space()
            and exists (select from core.spaces s where s.id = g.space_id);
    perform core.withdraw(taken);
    execute format('update %I.%I set entry_id = null where space_id = core.current_space() and entry_id = any($1)',
        tg_table_schema, tg_table_name) using taken;
    return null;
end
$_$;

COMMENT ON FUNCTION core.unindex_deleted() IS 'For a table with entry_id, after a statement (old table as gone): takes out what the index has of its rows.';

CREATE FUNCTION core.unindex_row() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if new.space_id <> core.entered() or lower(tg_op) = 'update' and old.space_id <> core.entered() then
        raise exception 'the row of %.% is of another space than the one that was entered', tg_table_schema, tg_table_name
            using errcode = 'insufficient_privilege',
                hint = 'Before it, in the same transaction: select core.enter(''NAME of its space'');';
    end if;
    if lower(tg_op) = 'update' then
        perform core.withdraw(array[old.entry_id]);
    end if;
    new.entry_id := null;
    perform core.leave_unindexed(tg_argv[0]::integer, new.space_id);
    return new;
end
$$;

COMMENT ON FUNCTION core.unindex_row() IS 'For a table with entry_id: takes out what the index has of a row, and leaves the row to be filed; its argument is the code of the kind.';

CREATE FUNCTION core.withdraw(gone bigint[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    perform core.write_by_hand(core.current_space());
    insert into core.at_commit (space_id, gone)
    select core.current_space(), w.gone
    from (select array_remove(withdraw.gone, null) as gone) w
    where w.gone <> '{}';
end
$$;

COMMENT ON FUNCTION core.withdraw(gone bigint[]) IS 'Takes entries that stand alone out of the index, with their share of the counters of the space that was entered, when the transaction commits.';

CREATE FUNCTION core.write_by_hand(space integer) RETURNS void
    LANGUAGE sql
    AS $$ select pg_advisory_xact_lock_shared(731200, space) $$;

COMMENT ON FUNCTION core.write_by_hand(space integer) IS 'Says until the end of this transaction that somebody writes to the space by SQL: see core.is_written_by_hand.';

CREATE FUNCTION documents.names(place text) RETURNS text[]
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN string_to_array("left"(place, '-1'::integer), chr(31));

COMMENT ON FUNCTION documents.names(place text) IS 'The names of a path.';

CREATE FUNCTION documents.cut(place text, names integer) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN (names IS NULL) THEN place ELSE (array_to_string((documents.names(place))[:names], chr(31)) || chr(31)) END;

COMMENT ON FUNCTION documents.cut(place text, names integer) IS 'The first names of a path; all of them if their number is null.';

CREATE FUNCTION documents.digest(value jsonb, body text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN encode(sha256(convert_to(concat_ws('
'::text, (value)::text, body), 'UTF8'::name)), 'hex'::text);

COMMENT ON FUNCTION documents.digest(value jsonb, body text) IS 'SHA-256 of the text, of the value as jsonb is written, or of both with a line break between them.';

CREATE FUNCTION documents.drop_passages() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
    delete from documents.passages where space_id = new.space_id and document_id = new.id;
    return null;
end
$$;

CREATE FUNCTION documents.keep_as_written() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
    if old.redacted_at is null and new.redacted_at is not null then
        new.value := null;
        new.body := null;
        new.metadata := '{}';
        return new;
    end if;
    raise exception 'a version of a document cannot be changed'
        using errcode = 'feature_not_supported', hint = 'Set redacted_at to take its content out for good.';
end
$$;

CREATE FUNCTION documents.keep_version() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
    -- What has expired is gone, with all that it said before.
    if old.expires_at <= new.updated_at then
        delete from documents.versions where space_id = old.space_id and document_id = old.id;
        new.version := 1;
        return new;
    end if;
    insert into documents.versions (space_id, document_id, version, place, key, value, body, metadata, user_name,
        index_paths, sha256, created_at, written_at, written_by, ended_at, ended_by)
    values (old.space_id, old.id, old.version, old.place, old.key, old.value, old.body, old.metadata, old.user_name,
        old.index_paths, old.sha256, old.created_at, old.updated_at, old.written_by,
        greatest(old.updated_at, new.updated_at),
        case when (old.place, old.key) is distinct from (new.place, new.key) then 'rename' else 'change' end);
    new.version := old.version + 1;
    if new.updated_at = old.updated_at then
        new.updated_at := greatest(old.updated_at, now());
    end if;
    return new;
end
$$;

CREATE FUNCTION documents.whole(metadata jsonb, value jsonb) RETURNS jsonb
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (jsonb_build_object('metadata', metadata) || CASE WHEN (value IS NULL) THEN '{}'::jsonb ELSE jsonb_build_object('value', value) END);

COMMENT ON FUNCTION documents.whole(metadata jsonb, value jsonb) IS 'What a filter over metadata and value is matched with.';

CREATE FUNCTION documents.passes(metadata jsonb, value jsonb, over_metadata jsonpath, over_value jsonpath, no_value boolean, over_both jsonpath) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (((over_metadata IS NULL) OR (metadata @@ over_metadata)) AND ((over_value IS NULL) OR COALESCE((value @@ over_value), no_value)) AND ((over_both IS NULL) OR (documents.whole(metadata, value) @@ over_both)));

COMMENT ON FUNCTION documents.passes(metadata jsonb, value jsonb, over_metadata jsonpath, over_value jsonpath, no_value boolean, over_both jsonpath) IS 'Whether a filter lets a document through; a path that is null sets no condition (see recall/filters.py).';

CREATE TABLE documents.documents (
    space_id integer DEFAULT core.entered() NOT NULL,
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    place text NOT NULL COLLATE pg_catalog."C",
    key text NOT NULL COLLATE pg_catalog."C",
    value jsonb,
    body text,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    user_name text,
    index_paths text[] DEFAULT '{$}'::text[] NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    ttl_seconds double precision,
    expires_at timestamp with time zone,
    version integer DEFAULT 1 NOT NULL,
    sha256 text GENERATED ALWAYS AS (documents.digest(value, body)) STORED NOT NULL,
    written_by text,
    redacted integer DEFAULT 0 NOT NULL,
    CONSTRAINT documents_check CHECK (((octet_length(place) + octet_length(key)) <= 2000)),
    CONSTRAINT documents_check1 CHECK (((value IS NOT NULL) OR (body IS NOT NULL))),
    CONSTRAINT documents_check2 CHECK (((ttl_seconds IS NULL) = (expires_at IS NULL))),
    CONSTRAINT documents_key_check CHECK ((key <> ''::text)),
    CONSTRAINT documents_metadata_check CHECK ((jsonb_typeof(metadata) = 'object'::text)),
    CONSTRAINT documents_place_check CHECK ((place ~ '^([^\x1f]+\x1f)+$'::text)),
    CONSTRAINT documents_redacted_check CHECK ((redacted >= 0)),
    CONSTRAINT documents_ttl_seconds_check CHECK ((ttl_seconds > (0)::double precision)),
    CONSTRAINT documents_user_name_check CHECK (((char_length(user_name) >= 1) AND (char_length(user_name) <= 512))),
    CONSTRAINT documents_version_check CHECK ((version > 0)),
    CONSTRAINT documents_written_by_check CHECK (((char_length(written_by) >= 1) AND (char_length(written_by) <= 512)))
)
WITH (fillfactor='85');

ALTER TABLE ONLY documents.documents FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN documents.documents.place IS 'Its path: names with a unit separator (0x1f) behind each.';

COMMENT ON COLUMN documents.documents.user_name IS 'Whose it is: it goes when they are forgotten; null: everybody''s.';

COMMENT ON COLUMN documents.documents.index_paths IS 'What of it is found by meaning: paths into the value ($ is all of it, and the text); none if empty.';

COMMENT ON COLUMN documents.documents.ttl_seconds IS 'It expires so long after it was written, or read with refresh.';

COMMENT ON COLUMN documents.documents.version IS 'Grows with each change of what it says or where it stands.';

COMMENT ON COLUMN documents.documents.written_by IS 'Who wrote this version, as the caller says.';

COMMENT ON COLUMN documents.documents.redacted IS 'How many secrets were cut out before it was written.';

CREATE FUNCTION documents.standing(document uuid) RETURNS documents.documents
    LANGUAGE sql STABLE
    RETURN (SELECT d.*::documents.documents AS d FROM documents.documents d WHERE ((d.space_id = (SELECT core.current_space() AS current_space)) AND (d.id = standing.document)));

COMMENT ON FUNCTION documents.standing(document uuid) IS 'The document of this transaction''s space with that id.';

CREATE FUNCTION episodes.activated(known double precision, older bigint, first double precision, last double precision) RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
    select 1 / (1 + exp(-2.0 - ln(known + case
        when older <= 0 then 0
        when first - last < 1::float8 / 60 then older * power(last, -0.5)
        else older * (sqrt(first) - sqrt(last)) / (0.5 * (first - last)) end)))
    $$;

COMMENT ON FUNCTION episodes.activated(known double precision, older bigint, first double precision, last double precision) IS 'How near an episode is, 0 to 1: known uses weighed by their age in hours, and older ones spread between first and last.';

CREATE FUNCTION episodes.activation(happened_at timestamp with time zone, uses integer, recent timestamp with time zone[], moment timestamp with time zone) RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
    select episodes.activated(known, older, first, last)
    from (
        select sum(power(age, -0.5)) as known, max(age) as last,
            greatest(max(age), episodes.hours(happened_at, moment)) as first,
            (case when uses > cardinality(recent) then uses - cardinality(recent) + 1 else 0 end)::bigint as older
        from (
            select greatest(episodes.hours(at, moment), 1::float8 / 60) as age
            from unnest(case when uses > cardinality(recent) then recent else recent || happened_at end) as r (at)
        ) ages
    ) b
    $$;

CREATE TABLE episodes.belief_sources (
    space_id integer DEFAULT core.entered() NOT NULL,
    belief_id uuid NOT NULL,
    message_id bigint NOT NULL,
    excerpt text NOT NULL,
    said_at timestamp with time zone NOT NULL,
    CONSTRAINT belief_sources_excerpt_check CHECK ((char_length(excerpt) <= 1000))
);

ALTER TABLE ONLY episodes.belief_sources FORCE ROW LEVEL SECURITY;

CREATE FUNCTION episodes.belief_is_of_person(belief uuid) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    RETURN core.are_of_person(ARRAY(SELECT x.message_id FROM episodes.belief_sources x WHERE ((x.space_id = core.current_space()) AND (x.belief_id = belief_is_of_person.belief))));

CREATE TABLE episodes.episode_messages (
    space_id integer DEFAULT core.entered() NOT NULL,
    episode_id uuid NOT NULL,
    message_id bigint NOT NULL
);

ALTER TABLE ONLY episodes.episode_messages FORCE ROW LEVEL SECURITY;

CREATE FUNCTION episodes.episode_is_of_person(episode uuid) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    RETURN core.are_of_person(ARRAY(SELECT x.message_id FROM episodes.episode_messages x WHERE ((x.space_id = core.current_space()) AND (x.episode_id = episode_is_of_person.episode))));

CREATE FUNCTION episodes.follow_relation() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
    if true or new.made_by in ('person', 'source') or old.made_by in ('person', 'source') then
        perform episodes.settle_validity(array(
            select distinct belief_id from episodes.belief_sources
            where space_id = core.current_space() and message_id = coalesce(new.older, old.older)));
    end if;
    return null;
end
$$;

CREATE FUNCTION episodes.follow_sources() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
    here constant integer := core.current_space();
    source constant episodes.belief_sources := coalesce(new, old);
begin
    if exists (select from core.relations
                where space_id = here and (older = source.message_id or true and newer = source.message_id))
        or exists (select from episodes.beliefs
                where space_id = here and id = source.belief_id and valid_until is not null) then
        perform episodes.settle_validity(array(
            select source.belief_id
            union
            select s.belief_id from core.relations r
            join episodes.belief_sources s on s.space_id = r.space_id and s.message_id = r.older
            where true and r.space_id = here and r.newer = source.message_id));
    end if;
    return null;
end
$$;

CREATE FUNCTION episodes.fresh(salience double precision, hours double precision, decay double precision) RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ select exp(greatest(-decay * (1 - salience) * hours, -700)) $$;

CREATE FUNCTION episodes.hours(since timestamp with time zone, moment timestamp with time zone) RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ select greatest(date_part('epoch', moment - since), 0) / 3600 $$;

CREATE FUNCTION episodes.unraised(uses integer, boost double precision) RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN exp(GREATEST(((uses)::double precision * ln(GREATEST(((1)::double precision - boost), (0.000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001)::double precision))), ('-700'::integer)::double precision));

COMMENT ON FUNCTION episodes.unraised(uses integer, boost double precision) IS 'What so many uses leave of the way to the most that they raise to: (1 - boost) to the power of the uses.';

CREATE FUNCTION episodes.lowered(salience double precision, uses integer, boost double precision) RETURNS double precision
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CASE WHEN ((salience >= (0)::double precision) AND (salience <= (1)::double precision)) THEN GREATEST((0)::double precision, ((salience - ((0.5)::double precision * ((1)::double precision - episodes.unraised(uses, boost)))) / ((1)::double precision - ((0.5)::double precision * ((1)::double precision - episodes.unraised(uses, boost)))))) ELSE salience END;

COMMENT ON FUNCTION episodes.lowered(salience double precision, uses integer, boost double precision) IS 'The base that episodes.raised raises to a salience; 0 where none does.';

CREATE FUNCTION episodes.note_use(episode uuid, uses integer, at timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
    update episodes.stored_episodes set access_count = uses, last_accessed_at = greatest(last_accessed_at, at)
    where space_id = (select core.current_space()) and id = episode;
    insert into episodes.accesses (episode_id, accessed_at) values (episode, at) on conflict do nothing;
    delete from episodes.accesses a
    where a.space_id = (select core.current_space()) and a.episode_id = episode and a.accessed_at < (
        select min(accessed_at) from (
            select accessed_at from episodes.accesses
            where space_id = (select core.current_space()) and episode_id = episode
            order by accessed_at desc limit 16
        ) latest
    );
end
$$;

CREATE FUNCTION episodes.open_loops_of(episode uuid, found jsonb, by_hand boolean) RETURNS jsonb
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
    select case when by_hand then found else coalesce((
        select coalesce(jsonb_agg(l.by_whom || ': ' || l.content || coalesce(' (due ' || to_char(
            (l.due_at - interval '1 second') at time zone 'UTC', 'YYYY-MM-DD') || ')', '') order by l.said_at, l.id)
            filter (where l.state = 'open'), '[]'::jsonb)
        from episodes.episode_messages m
        join episodes.loops l on l.space_id = m.space_id and l.message_id = m.message_id
        where m.space_id = (select core.current_space()) and m.episode_id = episode
        having count(*) > 0), found) end
    $$;

CREATE FUNCTION episodes.raised(base double precision, uses integer, boost double precision) RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (base + (((0.5)::double precision * ((1)::double precision - base)) * ((1)::double precision - episodes.unraised(uses, boost))));

CREATE FUNCTION episodes.settle_validity(ids uuid[]) RETURNS void
    LANGUAGE sql
    AS $$
update episodes.beliefs m
set valid_until = least(m.told_until, v.ended)
from unnest(ids) as t (id)
cross join lateral (
    select min(n.happened_at) as ended
    from episodes.beliefs x
    cross join lateral (
        select s.message_id from episodes.belief_sources s where s.space_id = x.space_id and s.belief_id = x.id and true
    ) o
    join core.relations r on r.space_id = x.space_id and r.older = o.message_id
        and r.removed_at is null and (r.made_by in ('person', 'source') or exists (
            select from episodes.belief_sources s
            join episodes.beliefs b on b.space_id = s.space_id and b.id = s.belief_id
            where s.space_id = r.space_id and s.message_id = r.newer
                and b.person = x.person and b.key = x.key and b.form <> x.form))
    join core.messages n on n.space_id = r.space_id and n.id = r.newer
    where x.space_id = core.current_space() and x.id = t.id
        and not exists (
            select from episodes.belief_sources s
            join core.messages l on l.space_id = s.space_id and l.id = s.message_id
            where s.space_id = x.space_id and s.belief_id = x.id and true and l.happened_at >= n.happened_at)
) v
where m.space_id = core.current_space() and m.id = t.id and m.valid_until is distinct from least(m.told_until, v.ended)
$$;

CREATE TABLE episodes.exchanges (
    space_id integer DEFAULT core.entered() NOT NULL,
    id bigint NOT NULL,
    session_id bigint NOT NULL,
    thread_id bigint,
    topic_id bigint,
    first_message bigint NOT NULL,
    last_message bigint NOT NULL,
    user_name text,
    started_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone NOT NULL,
    salience real DEFAULT 0 NOT NULL,
    chunk jsonb,
    chunker text,
    chunker_version integer,
    chunk_trouble text,
    chunked_at timestamp with time zone,
    episode_id uuid,
    set_aside boolean DEFAULT false NOT NULL,
    CONSTRAINT exchanges_check CHECK ((first_message <= last_message)),
    CONSTRAINT exchanges_check1 CHECK (((chunk IS NULL) = (chunked_at IS NULL))),
    CONSTRAINT exchanges_chunker_version_check CHECK ((chunker_version > 0)),
    CONSTRAINT exchanges_salience_check CHECK (((salience >= (0)::double precision) AND (salience <= (1)::double precision)))
);

ALTER TABLE ONLY episodes.exchanges FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN episodes.exchanges.first_message IS 'Messages of the session from this id to last_message, those of system prompts aside.';

COMMENT ON COLUMN episodes.exchanges.chunk IS 'What it yields: gists, facts, traits, style, scope, emotion. Null: it is to be read again.';

COMMENT ON COLUMN episodes.exchanges.chunker IS 'Who made the chunk: rules, or the name of a language model.';

COMMENT ON COLUMN episodes.exchanges.chunk_trouble IS 'Why the language model that is configured did not make it.';

COMMENT ON COLUMN episodes.exchanges.set_aside IS 'Its episode was erased alone: it is not condensed again.';

CREATE FUNCTION episodes.topic_is_for(topic bigint, session bigint) RETURNS boolean
    LANGUAGE sql STABLE
    RETURN (NOT (EXISTS (SELECT FROM ((core.sessions s JOIN episodes.exchanges x ON (((x.space_id = s.space_id) AND (x.topic_id = topic_is_for.topic)))) JOIN core.sessions o ON (((o.space_id = x.space_id) AND (o.id = x.session_id)))) WHERE ((s.space_id = core.current_space()) AND (s.id = topic_is_for.session) AND (s.belongs_to IS NOT NULL) AND (o.belongs_to IS DISTINCT FROM s.belongs_to)))));

COMMENT ON FUNCTION episodes.topic_is_for(topic bigint, session bigint) IS 'Whether the name of a topic holds no words of others than the person of a session: it was met in theirs alone.';

CREATE FUNCTION episodes.topic_is_of_person(topic bigint) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    RETURN (NOT (EXISTS (SELECT FROM (episodes.exchanges x LEFT JOIN core.sessions s ON (((s.space_id = x.space_id) AND (s.id = x.session_id)))) WHERE ((x.space_id = core.current_space()) AND (x.topic_id = topic_is_of_person.topic) AND (s.belongs_to IS DISTINCT FROM core.current_person())))));

COMMENT ON FUNCTION episodes.topic_is_of_person(topic bigint) IS 'Whether a topic was met in sessions of the person of this transaction alone.';

CREATE FUNCTION episodes.write_conversation() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
declare
    number bigint;
begin
    new.status := coalesce(new.status, 'active');
    if lower(tg_op) = 'insert' then
        insert into core.sessions (space_id, name, distinct_id, created_at)
        values (core.current_space(), coalesce(new.id, gen_random_uuid())::text, new.user_id,
            coalesce(new.created_at, now()))
        returning id, uid into number, new.id;
    else
        number := old.session_number;
    end if;
    insert into episodes.conversation_details as d (session_id, user_name, topic, title, status, updated_at, thread)
    values (number, new.user_id, nullif(new.topic, ''), new.title, new.status,
        coalesce(new.updated_at, new.created_at, now()), new.thread_id)
    on conflict (space_id, session_id) do update set
        user_name = excluded.user_name,
        topic = case when new.topic is distinct from old.topic then excluded.topic else d.topic end,
        thread = case when new.thread_id is distinct from old.thread_id then excluded.thread else d.thread end,
        title = excluded.title,
        status = excluded.status,
        updated_at = case when new.updated_at is distinct from old.updated_at then excluded.updated_at else now() end;
    return new;
end
$$;

CREATE FUNCTION episodes.write_episode() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
declare
    boost constant double precision := core.number_set('episode_boost', 0.2);
    happened timestamptz;
begin
    if lower(tg_op) = 'delete' then
        raise exception 'an episode is forgotten with what it was made of'
            using errcode = 'feature_not_supported',
                hint = 'Set deleted_at to put it away, or use forget() for good.';
    end if;
    if lower(tg_op) = 'insert' then
        new.id := coalesce(new.id, gen_random_uuid());
        new.created_at := coalesce(new.created_at, now());
        happened := coalesce(new.ended_at, new.created_at);
        insert into episodes.stored_episodes (id, session_id, thread_id, user_name, intent, context, action, emotion,
            outcome, gist, base_salience, topic, exchange_id, salience_factors, open_loops, started_at, ended_at,
            created_at, updated_at, deleted_at, last_accessed_at, access_count, builder, refile)
        values (new.id, new.session_id, new.thread_id, new.user_name, new.intent, new.context, new.action, new.emotion,
            new.outcome, new.gist, episodes.lowered(new.salience, greatest(new.access_count, 0), boost), new.topic,
            new.exchange_id, new.salience_factors,
            coalesce(new.open_loops, '[]'::jsonb), least(coalesce(new.started_at, happened), happened), happened,
            new.created_at, coalesce(new.updated_at, new.created_at), new.deleted_at, null, 0, 'sql', true);
        if new.access_count > 0 then
            perform episodes.note_use(new.id, new.access_count, coalesce(new.last_accessed_at, new.created_at));
        end if;
        -- What the text has a new row begin with says nothing of its own.
        new.freshness := nullif(new.freshness, new.salience);
        new.activation_score := nullif(new.activation_score, 1);
    else
        if (new.intent, new.context, new.action, new.emotion, new.outcome, new.gist, new.topic, new.open_loops,
            new.salience_factors) is distinct from (old.intent, old.context, old.action, old.emotion, old.outcome,
            old.gist, old.topic, old.open_loops, old.salience_factors) then
            insert into episodes.episode_history (episode_id, version, said, base_salience, builder, builder_version,
                replaced_at)
            select id, version, jsonb_build_object('intent', intent, 'context', context, 'action', action, 'emotion',
                emotion, 'outcome', outcome, 'gist', gist, 'salience_factors', salience_factors, 'open_loops',
                open_loops), base_salience, builder, builder_version, now()
            from episodes.stored_episodes where space_id = old.space_id and id = old.id;
            update episodes.stored_episodes set intent = new.intent, context = new.context, action = new.action,
                emotion = new.emotion, outcome = new.outcome, gist = new.gist, topic = new.topic,
                open_loops = case when new.open_loops = old.open_loops then open_loops else new.open_loops end,
                loops_by_hand = loops_by_hand or new.open_loops <> old.open_loops,
                salience_factors = new.salience_factors, builder = 'sql',
                builder_version = 1, version = version + 1, updated_at = now(), refile = true
            where space_id = old.space_id and id = old.id;
        end if;
        update episodes.stored_episodes set
            deleted_at = new.deleted_at,
            refile = refile or (new.deleted_at is null) <> (old.deleted_at is null),
            exchange_id = new.exchange_id,
            updated_at = case when new.updated_at is distinct from old.updated_at then new.updated_at else updated_at end,
            base_salience = case when new.salience is distinct from old.salience
                then episodes.lowered(new.salience, new.access_count, boost)
                else base_salience end
        where space_id = old.space_id and id = old.id;
        if new.access_count > old.access_count then
            perform episodes.note_use(old.id, new.access_count, case
                when new.last_accessed_at is distinct from old.last_accessed_at then new.last_accessed_at else now() end);
        end if;
    end if;
    if exists (select from episodes.stored_episodes e where e.space_id = (select core.current_space()) and e.refile) then
        perform core.leave_unindexed(4);
    end if;
    return new;
end
$$;

CREATE FUNCTION episodes.write_message() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
    if lower(tg_op) = 'insert' then
        raise exception 'what was said is written by observe(), which takes out secrets and files it'
            using errcode = 'feature_not_supported',
                hint = 'Here only mode and metadata of a message can be changed.';
    end if;
    new.metadata := coalesce(new.metadata, '{}'::jsonb);
    insert into episodes.message_details (message_id, mode, metadata)
    values (old.message_number, new.mode, new.metadata)
    on conflict (space_id, message_id) do update set mode = excluded.mode, metadata = excluded.metadata;
    return new;
end
$$;

CREATE FUNCTION ledger.append(space text, act text, scope text, session text, person text, namespace text, key text, value jsonb, source text, assumption boolean, cap text, turn integer, at timestamp with time zone, expires timestamp with time zone, renewal interval, correlation text, who text, why text, latest_known bigint, shapes_known bigint DEFAULT NULL::bigint) RETURNS ledger.appended
    LANGUAGE plpgsql
    AS $$
#variable_conflict use_column
declare
    here integer;
    thread core.sessions;
    whose text;  -- of the session; empty where several take part
    latest ledger.chat_memory_events;
    standing ledger.chat_memory_events;
    live boolean;
    place text[];
    done ledger.appended;
begin
    perform pg_advisory_xact_lock_shared(hashtextextended(space, 7310522003));
    here := (core.enter(space)).id;
    if shapes_known <> coalesce(
            (select s.version from ledger.shapes s where s.space_id = here order by s.version desc limit 1), 0) then
        done.problem := 'shapes';
        return done;
    end if;
    if here is null then
        if session is not null then
            done.problem := 'session';
            return done;
        elsif act not in ('set', 'assume') then
            done.problem := 'nothing';
            return done;
        end if;
        insert into core.spaces (name) values (space) on conflict do nothing;
        here := (core.enter(space)).id;
    end if;

    if session is not null then
        select * into thread from core.sessions s where s.space_id = here and s.name = session;
        if thread.id is null then
            done.problem := 'session';
            return done;
        end if;
        whose := coalesce(thread.distinct_id, thread.belongs_to);
        if whose = '' and scope = 'session' and person is not null then
            done.problem := 'several';
            done.detail := ledger.users_of(thread);
            return done;
        elsif whose <> '' and person <> whose then
            done.problem := 'user';
            return done;
        end if;
        person := coalesce(nullif(whose, ''), person);
        if thread.messages > 0 then
            if turn > thread.messages or turn is null then
                select count(*) into done.turn_index from core.messages m
                where m.space_id = here and m.id between thread.id << 24 and (thread.id << 24) + 16777215
                    and m.role = 'user';
                if turn > thread.messages then
                    done.problem := 'turn';
                    return done;
                end if;
            end if;
        end if;
    end if;
    if scope = 'cross_session' and person is null then
        done.problem := 'nobody';
        return done;
    end if;
    done.session_id := thread.uid;
    done.distinct_id := person;
    done.turn_index := coalesce(turn, done.turn_index, 0);

    -- One writer a key at a time, also where there is no row yet that could be held.
    perform pg_advisory_xact_lock(hashtextextended(
        concat_ws('/', here, scope, case scope when 'session' then session else person end, namespace, key), 7310522004));
    if scope = 'session' then
        select * into latest from ledger.chat_memory_events e
        where e.space_id = here and e.memory_scope = 'session' and e.session_id = thread.uid
            and e.memory_namespace = namespace and e.memory_key = key
        order by e.created_at desc, e.id desc limit 1;
    else
        select * into latest from ledger.chat_memory_events e
        where e.space_id = here and e.memory_scope = 'cross_session' and e.distinct_id = person
            and e.memory_namespace = namespace and e.memory_key = key
        order by e.created_at desc, e.id desc limit 1;
    end if;
    if latest_known <> latest.id then
        done.problem := 'moved';
        return done;
    end if;
    if latest.standing_event_id = latest.id then
        standing := latest;
    elsif latest.standing_event_id is not null then
        select * into standing from ledger.chat_memory_events e where e.space_id = here and e.id = latest.standing_event_id;
    end if;
    at := greatest(at, latest.created_at);
    live := standing.id is not null and (standing.expires_at is null or standing.expires_at > at);

    if standing.id is not null and (live or act in ('expire', 'delete')) then
        done.before_id := standing.id;
        done.before_value := standing.new_value_json;
        done.before_source := standing.value_source;
        done.before_assumed := standing.assumed;
        done.before_cap := standing.confidence_cap;
        done.before_turn := standing.turn_index;
        done.before_at := standing.created_at;
        done.before_expires_at := standing.expires_at;
    elsif act in ('correct', 'expire', 'delete') then
        done.problem := 'nothing';
        return done;
    end if;

    -- From here on nothing is refused but a session that became somebody else's this moment.
    if thread.id is not null and whose is null and person is not null then
        update core.sessions s set distinct_id = person
        where s.space_id = here and s.id = thread.id and s.distinct_id is null and coalesce(s.belongs_to, person) = person;
        if not found and person is distinct from (
                select s.distinct_id from core.sessions s where s.space_id = here and s.id = thread.id) then
            done.problem := 'user';
            return done;
        end if;
    end if;
    if act in ('expire', 'delete') then
        value := 'null';
        source := standing.value_source;
        assumption := standing.assumed;
        cap := 'none';
        expires := null;
        done.event_type := case act when 'expire' then 'fact_expired' else 'fact_deleted' end;
        done.stands := false;
    else
        if live and act <> 'restore' and (value, source, assumption, cap)
                is not distinct from (standing.new_value_json, standing.value_source, standing.assumed, standing.confidence_cap)
            and (expires is not distinct from standing.expires_at
                or renewal is not null and standing.expires_at > expires - renewal) then
            done.stands := true;
            return done;
        end if;
        done.stands := not live or act in ('correct', 'restore') or ledger.rank(source) >= ledger.rank(standing.value_source);
        done.event_type := case
            when live and done.stands and standing.assumed and not assumption then 'assumption_corrected'
            when live and done.stands and (act in ('correct', 'restore')
                or not assumption and value is distinct from standing.new_value_json) then 'fact_corrected'
            when assumption then 'assumption_set'
            else 'fact_set'
        end;
    end if;

    done.event_id := nextval('ledger.chat_memory_events_id_seq');
    done.created_at := at;
    done.expires_at := expires;
    insert into ledger.chat_memory_events (space_id, id, session_id, distinct_id, turn_index, event_type, memory_scope,
        memory_namespace, memory_key, old_value_json, new_value_json, value_source, assumed, confidence_cap, correlation_id,
        created_at, expires_at, actor, reason, standing_event_id)
    values (here, done.event_id, thread.uid, person, done.turn_index, done.event_type, scope, namespace, key,
        case when done.stands or act in ('expire', 'delete') then done.before_value end, value, source, assumption, cap,
        correlation, at, expires, who, why,
        case when done.stands then done.event_id when act not in ('expire', 'delete') then standing.id end);

    perform set_config('quipu.appended', done.event_id::text, true);
    if done.stands and scope = 'session' then
        insert into ledger.chat_session_memory as m (space_id, id, session_id, memory_namespace, memory_key, value_json,
            value_source, assumed, confidence_cap, source_turn_index, source_event_id, first_set_at, last_updated_at,
            expires_at, created_at, updated_at)
        values (here, done.event_id, thread.uid, namespace, key, value, source, assumption, cap, done.turn_index,
            done.event_id, at, at, expires, at, at)
        on conflict (space_id, session_id, memory_namespace, memory_key) do update set
            id = case when live then m.id else excluded.id end,
            first_set_at = case when live then m.first_set_at else excluded.first_set_at end,
            created_at = case when live then m.created_at else excluded.created_at end,
            value_json = excluded.value_json, value_source = excluded.value_source, assumed = excluded.assumed,
            confidence_cap = excluded.confidence_cap, source_turn_index = excluded.source_turn_index,
            source_event_id = excluded.source_event_id, last_updated_at = excluded.last_updated_at,
            expires_at = excluded.expires_at, updated_at = excluded.updated_at;
    elsif done.stands then
        place := ledger.preference_place(namespace, key);
        insert into ledger.chat_user_preferences as p (space_id, id, distinct_id, preference_namespace, preference_key,
            value_json, value_source, last_session_id, first_set_at, last_updated_at, expires_at, created_at, updated_at,
            assumed, confidence_cap, source_event_id)
        values (here, done.event_id, person, place[1], place[2], value,
            case source when 'assumed' then 'default' else source end, thread.uid, at, at, expires, at, at,
            assumption, cap, done.event_id)
        on conflict (space_id, distinct_id, preference_namespace, preference_key) do update set
            id = case when live then p.id else excluded.id end,
            first_set_at = case when live then p.first_set_at else excluded.first_set_at end,
            created_at = case when live then p.created_at else excluded.created_at end,
            value_json = excluded.value_json, value_source = excluded.value_source,
            last_session_id = excluded.last_session_id, last_updated_at = excluded.last_updated_at,
            expires_at = excluded.expires_at, updated_at = excluded.updated_at, assumed = excluded.assumed,
            confidence_cap = excluded.confidence_cap, source_event_id = excluded.source_event_id;
    elsif act in ('expire', 'delete') and scope = 'session' then
        delete from ledger.chat_session_memory m
        where m.space_id = here and m.session_id = thread.uid and m.memory_namespace = namespace and m.memory_key = key;
    elsif act in ('expire', 'delete') then
        place := ledger.preference_place(namespace, key);
        delete from ledger.chat_user_preferences p
        where p.space_id = here and p.distinct_id = person and p.preference_namespace = place[1]
            and p.preference_key = place[2];
    end if;
    -- What is found of it is filed by the next recall: an append embeds nothing.
    update core.spaces s set unindexed = s.unindexed | 2 where s.id = here and s.unindexed & 2 = 0;
    return done;
end
$$;

CREATE FUNCTION ledger.begin_without_evidence() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
    new.review_backed := false;
    new.evidence_count := 0;
    new.recency_window_days := null;
    return new;
end
$$;

CREATE FUNCTION ledger.complete_event() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
    if new.standing_event_id is null and new.event_type not in ('fact_expired', 'fact_deleted') then
        new.standing_event_id := new.id;
    end if;
    return new;
end
$$;

CREATE FUNCTION ledger.count_evidence(recommendations bigint[]) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO ''
    AS $$
    select from ledger.chat_recommendations
    where space_id = core.current_space() and id = any(recommendations)
    order by id for no key update;
    update ledger.chat_recommendations r set (review_backed, evidence_count, recency_window_days) = (
        select oldest_at is not null, pieces,
               case when oldest_at is not null
                   then least(32767, ceil(greatest(0, extract(epoch from r.created_at - oldest_at)) / 86400)) end
        from (
            select count(*) as pieces, min(review_publish_at) filter (where source_name = 'reviews') as oldest_at
            from ledger.chat_recommendation_evidence
            where space_id = r.space_id and recommendation_id = r.id
        ) e
    )
    where r.space_id = core.current_space() and r.id = any(recommendations)
    $$;

CREATE FUNCTION ledger.delete_session() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
declare
    here constant integer := core.current_space();
    thread constant bigint := (select id from core.sessions where space_id = here and uid = old.id);
    said bigint[];
begin
    -- Nobody writes to the space meanwhile, as in every erasure.
    perform pg_advisory_xact_lock(hashtextextended(current_setting('quipu.space'), 7310522003));
    perform ledger.erase_sessions(array[old.id]);
    with removed as (
        delete from core.messages
        where space_id = here and id between thread << 24 and (thread << 24) + 16777215
        returning id
    )
    select array_agg(id) into said from removed;
    delete from core.sessions where space_id = here and id = thread;
    if said is not null then
        perform core.take_out(said), core.recount_space();
    end if;
    return old;
end
$$;

CREATE FUNCTION ledger.erase_actor(name text) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO ''
    AS $$
    update ledger.chat_memory_events set actor = null where space_id = core.current_space() and actor = name
    $$;

COMMENT ON FUNCTION ledger.erase_actor(name text) IS 'Takes a name away from what its bearer wrote of others.';

CREATE FUNCTION ledger.erase_events(ids bigint[]) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO ''
    AS $$
    delete from ledger.chat_memory_events where space_id = core.current_space() and id = any(ids)
    $$;

COMMENT ON FUNCTION ledger.erase_events(ids bigint[]) IS 'Erases events of the space that was entered, and all others of their keys, with what stands and can be found of them.';

CREATE FUNCTION ledger.erase_events_of_sessions(sessions uuid[]) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO ''
    AS $$
    delete from ledger.chat_memory_events
    where space_id = core.current_space() and session_id = any(sessions) and memory_scope = 'session';
    update ledger.chat_memory_events set session_id = null
    where space_id = core.current_space() and session_id = any(sessions);
    $$;

COMMENT ON FUNCTION ledger.erase_events_of_sessions(sessions uuid[]) IS 'Erases what was known in sessions; what was said there of a person stays theirs, without the session.';

CREATE FUNCTION ledger.erase_rest() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
    delete from ledger.chat_memory_events e
    using (
        select distinct session_id, memory_namespace, memory_key from gone where memory_scope = 'session'
    ) g
    where e.space_id = (select core.current_space()) and e.memory_scope = 'session' and e.session_id = g.session_id
        and e.memory_namespace = g.memory_namespace and e.memory_key = g.memory_key;
    delete from ledger.chat_memory_events e
    using (
        select distinct distinct_id, memory_namespace, memory_key from gone where memory_scope = 'cross_session'
    ) g
    where e.space_id = (select core.current_space()) and e.memory_scope = 'cross_session' and e.distinct_id = g.distinct_id
        and e.memory_namespace = g.memory_namespace and e.memory_key = g.memory_key;
    return null;
end
$$;

CREATE FUNCTION ledger.erase_sessions(gone uuid[]) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
    here constant integer := core.current_space();
begin
    perform ledger.erase_events_of_sessions(gone);
    delete from ledger.chat_session_memory where space_id = here and session_id = any(gone);
    update ledger.chat_user_preferences set last_session_id = null
    where space_id = here and last_session_id = any(gone);
    delete from ledger.chat_recommendation_evidence where space_id = here and session_id = any(gone);
    delete from ledger.chat_recommendations where space_id = here and session_id = any(gone);
    delete from ledger.chat_competitor_checks where space_id = here and session_id = any(gone);
    delete from ledger.chat_review_signal_runs where space_id = here and session_id = any(gone);
    delete from ledger.chat_fallbacks where space_id = here and session_id = any(gone);
    -- The call of a message of somebody else goes with that message, if it goes.
    delete from core.tool_calls c using core.sessions s
    where c.space_id = here and s.space_id = here and s.id = c.session_id and s.uid = any(gone)
        and not exists (
            select from core.messages m
            where m.space_id = here and m.id = c.message_id and m.user_name <> coalesce(s.distinct_id, s.belongs_to));
    delete from ledger.session_details where space_id = here and session_id = any(gone);
end
$$;

COMMENT ON FUNCTION ledger.erase_sessions(gone uuid[]) IS 'Erases all that the ledger knows of sessions of the space that was entered; what was said in them stays.';

CREATE FUNCTION ledger.evidence_changed() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
    perform ledger.count_evidence(array(select distinct recommendation_id from changed));
    return null;
end
$$;

CREATE FUNCTION ledger.evidence_moved() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
    perform ledger.count_evidence(array(
        select recommendation_id from before union select recommendation_id from after));
    return null;
end
$$;

CREATE FUNCTION ledger.follow(event bigint, evidence bigint) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
    here constant integer := core.entered();
begin
    perform core.leave_unindexed(2, here);
    update ledger.filing_marks m set event_id = least(m.event_id, event - 1), evidence_id = least(m.evidence_id, evidence - 1)
    where m.space_id = here and (m.event_id >= event or m.evidence_id >= evidence);
end
$$;

COMMENT ON FUNCTION ledger.follow(event bigint, evidence bigint) IS 'Has the next recall look at an event or a piece of evidence, and at all that came after it; null: at none.';

CREATE FUNCTION ledger.follow_all() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
    delete from ledger.filing_marks where space_id = core.current_space();
    perform ledger.follow(null, null);
    return null;
end
$$;

CREATE FUNCTION ledger.follow_excerpt() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
    perform ledger.follow(null, new.id);
    return null;
end
$$;

CREATE FUNCTION ledger.follow_value() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
    perform ledger.follow(new.source_event_id, null);
    return null;
end
$$;

CREATE FUNCTION ledger.guard_event() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
    if current_user <> 'quipu_eraser' or lower(tg_op) = 'truncate' then
        raise insufficient_privilege using
            message = format('ledger.chat_memory_events is append-only: %s refused', lower(tg_op)),
            hint = 'A correction is another event; ledger.erase_events forgets.';
    end if;
    if lower(tg_op) = 'update' then
        if coalesce(new.session_id, old.session_id) is distinct from old.session_id
            or coalesce(new.actor, old.actor) is distinct from old.actor
            or to_jsonb(new) - 'session_id' - 'actor' is distinct from to_jsonb(old) - 'session_id' - 'actor' then
            raise insufficient_privilege using
                message = 'ledger.chat_memory_events is append-only: only a session or an actor that is forgotten is taken away';
        end if;
        return new;
    end if;
    return old;
end
$$;

CREATE FUNCTION ledger.guard_space() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
    if exists (select from ledger.chat_memory_events where space_id = old.id) then
        raise foreign_key_violation using
            message = format('the space %s has events in ledger.chat_memory_events', old.name),
            hint = 'An erasure of the space takes them out first.';
    end if;
    return old;
end
$$;

CREATE FUNCTION ledger.keep_shape(space text, pattern text, namespace text, scope text, shape jsonb, at timestamp with time zone, shapes_known bigint) RETURNS bigint
    LANGUAGE plpgsql
    AS $$
#variable_conflict use_column
declare
    here integer;
    kept bigint;
begin
    perform pg_advisory_xact_lock_shared(hashtextextended(space, 7310522003));
    here := (core.enter(space)).id;
    if here is null then
        insert into core.spaces (name) values (space) on conflict do nothing;
        here := (core.enter(space)).id;
    end if;
    perform pg_advisory_xact_lock(hashtextextended(here::text, 7310522014));
    if shapes_known <> coalesce(
            (select s.version from ledger.shapes s where s.space_id = here order by s.version desc limit 1), 0) then
        return null;
    end if;
    insert into ledger.shapes as s (space_id, pattern, namespace, scope, shape, registered_at)
    values (here, pattern, namespace, scope, shape, at)
    on conflict (space_id, pattern) do update set
        namespace = excluded.namespace, scope = excluded.scope, shape = excluded.shape, version = excluded.version,
        registered_at = excluded.registered_at
    returning s.version into kept;
    return kept;
end
$$;

COMMENT ON FUNCTION ledger.keep_shape(space text, pattern text, namespace text, scope text, shape jsonb, at timestamp with time zone, shapes_known bigint) IS 'The new version of the shapes of a space; null where they are not those any more that the caller knows.';

CREATE TABLE ledger.chat_memory_events (
    space_id integer DEFAULT core.entered() NOT NULL,
    id bigint NOT NULL,
    session_id uuid,
    distinct_id text,
    turn_index integer NOT NULL,
    event_type text NOT NULL,
    memory_scope text NOT NULL,
    memory_namespace text NOT NULL,
    memory_key text NOT NULL,
    old_value_json jsonb,
    new_value_json jsonb NOT NULL,
    value_source text NOT NULL,
    assumed boolean DEFAULT false NOT NULL,
    confidence_cap text DEFAULT 'none'::text NOT NULL,
    correlation_id text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone,
    actor text,
    reason text,
    standing_event_id bigint,
    CONSTRAINT chat_memory_events_actor_check CHECK (((char_length(actor) >= 1) AND (char_length(actor) <= 512))),
    CONSTRAINT chat_memory_events_check CHECK ((((memory_scope = 'session'::text) AND (session_id IS NOT NULL)) OR ((memory_scope = 'cross_session'::text) AND (distinct_id IS NOT NULL)))),
    CONSTRAINT chat_memory_events_check1 CHECK (((event_type = ANY (ARRAY['fact_expired'::text, 'fact_deleted'::text])) = (standing_event_id IS NULL))),
    CONSTRAINT chat_memory_events_check2 CHECK (((event_type <> ALL (ARRAY['fact_expired'::text, 'fact_deleted'::text])) OR (new_value_json = 'null'::jsonb))),
    CONSTRAINT chat_memory_events_confidence_cap_check CHECK ((confidence_cap = ANY (ARRAY['none'::text, 'medium'::text, 'low'::text]))),
    CONSTRAINT chat_memory_events_distinct_id_check CHECK (((char_length(distinct_id) >= 1) AND (char_length(distinct_id) <= 512))),
    CONSTRAINT chat_memory_events_event_type_check CHECK ((event_type = ANY (ARRAY['fact_set'::text, 'fact_corrected'::text, 'assumption_set'::text, 'assumption_corrected'::text, 'fact_expired'::text, 'fact_deleted'::text]))),
    CONSTRAINT chat_memory_events_memory_key_check CHECK (((char_length(memory_key) >= 1) AND (char_length(memory_key) <= 200))),
    CONSTRAINT chat_memory_events_memory_namespace_check CHECK ((memory_namespace = ANY (ARRAY['baseline'::text, 'location'::text, 'preference'::text, 'constraint'::text, 'system'::text, 'other'::text]))),
    CONSTRAINT chat_memory_events_memory_scope_check CHECK ((memory_scope = ANY (ARRAY['session'::text, 'cross_session'::text]))),
    CONSTRAINT chat_memory_events_turn_index_check CHECK ((turn_index >= 0)),
    CONSTRAINT chat_memory_events_value_source_check CHECK ((value_source = ANY (ARRAY['explicit'::text, 'assumed'::text, 'inferred'::text, 'default'::text]))),
    CONSTRAINT numbers_are_readable CHECK (((NOT (new_value_json @? 'strict $.**?(@ >= 10000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000 || @ <= -10000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000)'::jsonpath)) AND (NOT (old_value_json @? 'strict $.**?(@ >= 10000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000 || @ <= -10000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000)'::jsonpath)))),
    CONSTRAINT values_are_readable CHECK ((((pg_column_size(new_value_json) < 264) OR (NOT (new_value_json @? 'strict $.**{33}'::jsonpath))) AND ((pg_column_size(old_value_json) < 264) OR (NOT (old_value_json @? 'strict $.**{33}'::jsonpath)))))
)
WITH (autovacuum_vacuum_insert_scale_factor='0.05');

ALTER TABLE ONLY ledger.chat_memory_events FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN ledger.chat_memory_events.new_value_json IS 'JSON null where the value expired or was deleted.';

COMMENT ON COLUMN ledger.chat_memory_events.expires_at IS 'When the value stops standing by itself; null: never.';

COMMENT ON COLUMN ledger.chat_memory_events.actor IS 'Who or what wrote it, where that was said.';

COMMENT ON COLUMN ledger.chat_memory_events.standing_event_id IS 'The event whose value stands for this key after this one: itself, or a stronger one before it; null: nothing stands.';

CREATE FUNCTION ledger.latest_of(scope text, session_id uuid, distinct_id text, namespace text, key text) RETURNS ledger.chat_memory_events
    LANGUAGE plpgsql STABLE
    AS $$
#variable_conflict use_column
declare
    latest ledger.chat_memory_events;
begin
    if scope = 'session' then
        select * into latest from ledger.chat_memory_events e
        where e.space_id = core.current_space() and e.memory_scope = 'session' and e.session_id = latest_of.session_id
            and e.memory_namespace = namespace and e.memory_key = key
        order by e.id + 0 desc limit 1;
    else
        select * into latest from ledger.chat_memory_events e
        where e.space_id = core.current_space() and e.memory_scope = 'cross_session'
            and e.distinct_id = latest_of.distinct_id and e.memory_namespace = namespace and e.memory_key = key
        order by e.id + 0 desc limit 1;
    end if;
    return latest;
end
$$;

COMMENT ON FUNCTION ledger.latest_of(scope text, session_id uuid, distinct_id text, namespace text, key text) IS 'The last event of a key.';

CREATE FUNCTION ledger.mark_assumption() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
    new.assumed := true;
    if new.confidence_cap = 'none' then
        new.confidence_cap := 'medium';
    end if;
    return new;
end
$$;

COMMENT ON FUNCTION ledger.mark_assumption() IS 'Where a default is used, assumed is true and there is a cap.';

CREATE FUNCTION ledger.preference_place(memory_namespace text, memory_key text) RETURNS text[]
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN (memory_namespace = 'baseline'::text) THEN ARRAY['baseline'::text, memory_key] WHEN ((memory_namespace = 'preference'::text) AND (memory_key ~~ 'ui.%'::text)) THEN ARRAY['ui'::text, memory_key] WHEN ((memory_namespace = 'preference'::text) AND (memory_key ~~ 'workflow.%'::text)) THEN ARRAY['workflow'::text, memory_key] WHEN ((memory_namespace = 'preference'::text) AND (memory_key ~~ 'ui/_%'::text)) THEN ARRAY['ui'::text, substr(memory_key, 4)] WHEN ((memory_namespace = 'preference'::text) AND (memory_key ~~ 'workflow/_%'::text)) THEN ARRAY['workflow'::text, substr(memory_key, 10)] WHEN ((memory_namespace = 'other'::text) OR starts_with(memory_key, (memory_namespace || '.'::text))) THEN ARRAY['other'::text, memory_key] ELSE ARRAY['other'::text, ((memory_namespace || '.'::text) || memory_key)] END;

COMMENT ON FUNCTION ledger.preference_place(memory_namespace text, memory_key text) IS 'Namespace and key under which a key of an event stands among the preferences, which have namespaces of their own.';

CREATE FUNCTION ledger.rank(value_source text) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE value_source WHEN 'explicit'::text THEN 3 WHEN 'inferred'::text THEN 2 WHEN 'assumed'::text THEN 1 ELSE 0 END;

COMMENT ON FUNCTION ledger.rank(value_source text) IS 'What was said beats what was inferred, that beats what was assumed, and that a default.';

CREATE FUNCTION ledger.refuse_two_names() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
    if new.id::text <> new.name then
        raise feature_not_supported using
            message = 'id and name of ledger.chat_sessions cannot be chosen both',
            hint = 'The id follows from the name. Give one of them; a name that is a uuid is the id as well.';
    end if;
    return new;
end
$$;

CREATE FUNCTION ledger.tell_end(told bigint, value jsonb, expires timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
    here constant integer := core.entered();
    stood ledger.chat_memory_events;
    said ledger.chat_memory_events;
begin
    select * into stood from ledger.chat_memory_events e where e.space_id = here and e.id = told;
    said := ledger.latest_of(stood.memory_scope, stood.session_id, stood.distinct_id, stood.memory_namespace,
        stood.memory_key);
    if said.id is null or said.event_type in ('fact_expired', 'fact_deleted') or stood.expires_at <= now() then
        return;
    end if;
    perform core.leave_unindexed(2, here);
    insert into ledger.chat_memory_events (session_id, distinct_id, turn_index, event_type, memory_scope, memory_namespace,
        memory_key, old_value_json, new_value_json, value_source, assumed, created_at)
    values (stood.session_id, stood.distinct_id, stood.turn_index,
        case when expires <= now() then 'fact_expired' else 'fact_deleted' end, stood.memory_scope,
        stood.memory_namespace, stood.memory_key, value, 'null', stood.value_source, stood.assumed,
        greatest(now(), said.created_at));
end
$$;

COMMENT ON FUNCTION ledger.tell_end(told bigint, value jsonb, expires timestamp with time zone) IS 'Writes the event of the end of what an event said.';

CREATE FUNCTION ledger.tell_of(session_id uuid, distinct_id text, turn integer, scope text, namespace text, key text, value jsonb, source text, assumed boolean, cap text, expires timestamp with time zone, before jsonb, assumed_before boolean, told bigint) RETURNS bigint
    LANGUAGE plpgsql
    AS $$
#variable_conflict use_column
declare
    here constant integer := core.entered();
    said ledger.chat_memory_events;
    id bigint;
begin
    perform core.leave_unindexed(2, here);
    said := ledger.latest_of(scope, session_id, distinct_id, namespace, key);
    if said.event_type in ('fact_expired', 'fact_deleted') then
        said.value_source := null;
    end if;
    if scope = 'cross_session' and source = 'default' and said.value_source = 'assumed' then
        source := 'assumed';  -- preferences know no other word for it
    end if;
    if said.new_value_json = value and said.assumed = tell_of.assumed and said.value_source = source
        and (said.id is distinct from told
            or (said.confidence_cap, said.expires_at) is not distinct from (cap, expires)) then
        return said.id;
    end if;
    insert into ledger.chat_memory_events (session_id, distinct_id, turn_index, event_type, memory_scope, memory_namespace,
        memory_key, old_value_json, new_value_json, value_source, assumed, confidence_cap, created_at, expires_at)
    values (tell_of.session_id, tell_of.distinct_id, turn,
        case when assumed_before and not tell_of.assumed then 'assumption_corrected'
             when before is not null and not tell_of.assumed and before <> value
                 or ledger.rank(source) < ledger.rank(said.value_source) then 'fact_corrected'
             when tell_of.assumed then 'assumption_set' else 'fact_set' end,
        scope, namespace, key, before, value, source, tell_of.assumed, cap, greatest(now(), said.created_at), expires)
    returning chat_memory_events.id into id;
    return id;
end
$$;

CREATE FUNCTION ledger.tell_of_end() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
    perform ledger.tell_end(old.source_event_id, old.value_json, old.expires_at);
    return null;
end
$$;

CREATE FUNCTION ledger.tell_of_preference() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
declare
    first constant text := split_part(new.preference_key, '.', 1);
    namespace constant text := case
        when new.preference_namespace = 'baseline' then 'baseline'
        when new.preference_namespace <> 'other' then 'preference'
        when first <> new.preference_key and first in ('location', 'preference', 'constraint', 'system') then first
        else 'other' end;
    key constant text := case
        when namespace = 'preference' and not starts_with(new.preference_key, new.preference_namespace || '.')
            then new.preference_namespace || '/' || new.preference_key
        else new.preference_key end;
    before ledger.chat_user_preferences;
    event bigint;
begin
    if lower(tg_op) = 'update' then
        if (old.distinct_id, old.preference_namespace, old.preference_key)
            is distinct from (new.distinct_id, new.preference_namespace, new.preference_key) then
            perform ledger.tell_end(old.source_event_id, old.value_json, old.expires_at);
        else
            before := old;
        end if;
    end if;
    if ledger.preference_place(namespace, key) = array[new.preference_namespace, new.preference_key] then
        event := ledger.tell_of(new.last_session_id, new.distinct_id, 0, 'cross_session', namespace, key, new.value_json,
            new.value_source, new.assumed, new.confidence_cap, new.expires_at, before.value_json, before.assumed,
            before.source_event_id);
    end if;  -- else no event could say so
    if lower(tg_op) = 'insert' and event is not null then
        update ledger.chat_user_preferences set source_event_id = event where space_id = new.space_id and id = new.id;
    end if;
    new.source_event_id := event;
    return new;
end
$$;

CREATE FUNCTION ledger.tell_of_value() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
declare
    before ledger.chat_session_memory;
    event bigint;
begin
    if lower(tg_op) = 'update' then
        if (old.session_id, old.memory_namespace, old.memory_key)
            is distinct from (new.session_id, new.memory_namespace, new.memory_key) then
            perform ledger.tell_end(old.source_event_id, old.value_json, old.expires_at);
        else
            before := old;
        end if;
    end if;
    event := ledger.tell_of(new.session_id,
        (select coalesce(s.distinct_id, nullif(s.belongs_to, '')) from core.sessions s
         where s.space_id = new.space_id and s.uid = new.session_id),
        new.source_turn_index, 'session', new.memory_namespace, new.memory_key, new.value_json, new.value_source,
        new.assumed, new.confidence_cap, new.expires_at, before.value_json, before.assumed, before.source_event_id);
    if lower(tg_op) = 'insert' then
        update ledger.chat_session_memory set source_event_id = event where space_id = new.space_id and id = new.id;
    end if;
    new.source_event_id := event;
    return new;
end
$$;

CREATE FUNCTION ledger.unindex() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
    here constant integer := core.current_space();
    filed bigint[];
begin
    if lower(tg_op) = 'update' then
        select array_agg(e.id) into filed
        from gone g
        join kept k on k.id = g.id and k.excerpt is distinct from g.excerpt
        join core.recall_entries e on e.space_id = here and e.source_table = tg_table_name and e.source_id = g.id::text;
    else
        select array_agg(e.id) into filed
        from gone g
        join core.recall_entries e on e.space_id = here and e.source_table = tg_table_name and e.source_id = g.id::text;
    end if;
    if filed is null then
        return null;
    end if;
    update core.spaces s set
        entries = s.entries - f.entries, tokens = s.tokens - f.tokens, mixed_tokens = s.mixed_tokens - f.mixed_tokens,
        version = s.version + 1, epoch = s.epoch + 1
    from (
        select count(*) as entries, sum(tokens) as tokens, sum(mixed_tokens::float8) as mixed_tokens
        from core.recall_entries where space_id = here and id = any(filed)
    ) f
    where s.id = here;
    perform core.take_out(filed);
    return null;
end
$$;

CREATE FUNCTION ledger.unmark_assumption() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
    new.assumed := false;
    if new.confidence_cap = old.confidence_cap then
        new.confidence_cap := 'none';
    end if;
    return new;
end
$$;

COMMENT ON FUNCTION ledger.unmark_assumption() IS 'Where something is said in the place of an assumption, it is none.';

CREATE FUNCTION ledger.users_of(session core.sessions) RETURNS text
    LANGUAGE sql STABLE
    AS $$
    select string_agg(user_name, ', ' order by user_name)
    from (
        select distinct m.user_name from core.messages m
        where m.space_id = session.space_id and m.id between session.id << 24 and (session.id << 24) + 16777215
            and m.user_name is not null
        order by m.user_name limit 10
    ) u
    $$;

COMMENT ON FUNCTION ledger.users_of(session core.sessions) IS 'Who takes part in a session, ten of them at most.';

CREATE FUNCTION ledger.write_session() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
declare
    -- What the view shows as the start may be the time of the first message, which is not to be told again.
    told constant timestamptz := case when lower(tg_op) = 'insert' or new.started_at is distinct from old.started_at
        then new.started_at end;
begin
    if lower(tg_op) = 'update' and (new.id is distinct from old.id or new.name is distinct from old.name) then
        raise invalid_parameter_value using message = 'the id and the name of a session cannot be changed';
    end if;
    if lower(tg_op) = 'insert' then
        new.name := coalesce(new.name, new.id::text, gen_random_uuid()::text);
        insert into core.sessions (space_id, name, distinct_id)
        values (core.current_space(), new.name, new.distinct_id)
        returning uid into new.id;
    elsif new.distinct_id is distinct from old.distinct_id then
        update core.sessions set distinct_id = new.distinct_id
        where space_id = core.current_space() and uid = new.id
            and (new.distinct_id is null or coalesce(belongs_to, new.distinct_id) = new.distinct_id);
        if not found then
            raise invalid_parameter_value using message = format('the session %s is somebody else''s', new.name);
        end if;
    end if;
    new.status := coalesce(new.status, 'active');
    new.card_type := coalesce(new.card_type, 'none');
    new.location_count := coalesce(new.location_count, 0);
    new.model := coalesce(new.model, 'unknown');
    new.prompt_version := coalesce(new.prompt_version, 'unknown');
    new.rule_version := coalesce(new.rule_version, 'unknown');
    new.had_fallback := coalesce(new.had_fallback, false);
    new.meta := coalesce(new.meta, '{}'::jsonb);
    insert into ledger.session_details as d (session_id, started_at, ended_at, status, card_type, location_count, model,
        prompt_version, rule_version, trace_id, first_insight_latency_ms, had_fallback, meta)
    values (new.id, told, new.ended_at, new.status, new.card_type, new.location_count, new.model,
        new.prompt_version, new.rule_version, new.trace_id, new.first_insight_latency_ms, new.had_fallback, new.meta)
    on conflict (space_id, session_id) do update set
        started_at = coalesce(excluded.started_at, d.started_at),
        ended_at = excluded.ended_at, status = excluded.status, card_type = excluded.card_type,
        location_count = excluded.location_count, model = excluded.model, prompt_version = excluded.prompt_version,
        rule_version = excluded.rule_version, trace_id = excluded.trace_id,
        first_insight_latency_ms = excluded.first_insight_latency_ms, had_fallback = excluded.had_fallback,
        meta = excluded.meta;
    return new;
end
$$;

CREATE FUNCTION longterm.date_memory() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
    new.happened_at := new.created_at;
    return new;
end
$$;

CREATE FUNCTION longterm.follow_relation() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
    if false or new.made_by in ('person', 'source') or old.made_by in ('person', 'source') then
        perform longterm.settle_validity(array(
            select distinct memory_id from longterm.sources
            where space_id = core.current_space() and message_id = coalesce(new.older, old.older)));
    end if;
    return null;
end
$$;

CREATE FUNCTION longterm.follow_sources() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
    here constant integer := core.current_space();
    source constant longterm.sources := coalesce(new, old);
begin
    if exists (select from core.relations
                where space_id = here and (older = source.message_id or false and newer = source.message_id))
        or exists (select from longterm.long_term_memory
                where space_id = here and id = source.memory_id and valid_until is not null) then
        perform longterm.settle_validity(array(
            select source.memory_id
            union
            select s.memory_id from core.relations r
            join longterm.sources s on s.space_id = r.space_id and s.message_id = r.older
            where false and r.space_id = here and r.newer = source.message_id));
    end if;
    return null;
end
$$;

CREATE FUNCTION longterm.follow_version() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
    perform longterm.settle_validity(array[new.id]);
    return null;
end
$$;

CREATE TABLE longterm.sources (
    space_id integer DEFAULT core.entered() NOT NULL,
    id bigint NOT NULL,
    memory_id uuid NOT NULL,
    version integer NOT NULL,
    session text,
    message text,
    message_id bigint,
    turn_index integer,
    excerpt text DEFAULT ''::text NOT NULL,
    evaluator text,
    rule text,
    happened_at timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT sources_excerpt_check CHECK ((char_length(excerpt) <= 1000)),
    CONSTRAINT sources_rule_check CHECK (((char_length(rule) >= 1) AND (char_length(rule) <= 512))),
    CONSTRAINT sources_turn_index_check CHECK ((turn_index >= 0)),
    CONSTRAINT sources_version_check CHECK ((version > 0))
);

ALTER TABLE ONLY longterm.sources FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN longterm.sources.message IS 'The id that the caller gave; message_id is that of core.messages, where it is there.';

COMMENT ON COLUMN longterm.sources.rule IS 'What read them so: the family of sayings, or the evaluator''s name where it has none.';

CREATE FUNCTION longterm.is_of_person(memory uuid) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    RETURN core.are_of_person(ARRAY(SELECT x.message_id FROM longterm.sources x WHERE ((x.space_id = core.current_space()) AND (x.memory_id = is_of_person.memory) AND (x.message_id IS NOT NULL))));

COMMENT ON FUNCTION longterm.is_of_person(memory uuid) IS 'Whether the messages that a memory rests on belong to the person of this transaction alone.';

CREATE FUNCTION longterm.keep_wording() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
    insert into longterm.history (space_id, memory_id, version, act, category, importance, summary, details, changed_at,
        changed_by)
    values (old.space_id, old.id, old.version, case when new.archived and not old.archived then 'archive'
            when old.archived and not new.archived then 'revive' else 'edit' end,
        old.category, old.importance, old.summary, old.details, now(), 'sql');
    if new.version = old.version and (old.summary, old.details, old.category, old.importance)
        is distinct from (new.summary, new.details, new.category, new.importance) then
        new.version := old.version + 1;
        new.updated_at := greatest(new.updated_at, now());
    end if;
    return new;
end
$$;

CREATE FUNCTION longterm.note_ids() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    new.agent_id := left(new.metadata ->> 'agent_id', 512);
    new.app_id := left(new.metadata ->> 'app_id', 512);
    new.run_id := left(new.metadata ->> 'run_id', 512);
    return new;
end
$$;

CREATE FUNCTION longterm.settle_validity(ids uuid[]) RETURNS void
    LANGUAGE sql
    AS $$
update longterm.long_term_memory m
set valid_until = least(m.told_until, v.ended)
from unnest(ids) as t (id)
cross join lateral (
    select min(n.happened_at) as ended
    from longterm.long_term_memory x
    cross join lateral (
        select s.message_id from longterm.sources s where s.space_id = x.space_id and s.memory_id = x.id and s.version = x.version
    ) o
    join core.relations r on r.space_id = x.space_id and r.older = o.message_id
        and r.removed_at is null and (r.made_by in ('person', 'source') or false)
    join core.messages n on n.space_id = r.space_id and n.id = r.newer
    where x.space_id = core.current_space() and x.id = t.id
        and not exists (
            select from longterm.sources s
            join core.messages l on l.space_id = s.space_id and l.id = s.message_id
            where s.space_id = x.space_id and s.memory_id = x.id and s.version = x.version and l.happened_at >= n.happened_at)
) v
where m.space_id = core.current_space() and m.id = t.id and m.valid_until is distinct from least(m.told_until, v.ended)
$$;

CREATE FUNCTION tables.discard(doomed integer) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    s tables.schemas;
begin
    select * into s from tables.schemas where id = doomed and space_id = core.current_space() for update;
    if s.id is null then
        return;
    end if;
    execute format('drop schema if exists %I cascade', s.schema_name);
    execute format('drop owned by %I', s.writer);
    insert into tables.discarded_roles (role) values (s.writer), (s.reader) on conflict do nothing;
    delete from tables.schemas where space_id = s.space_id and id = s.id;
end
$$;

COMMENT ON FUNCTION tables.discard(doomed integer) IS 'Drops a schema of the space that was entered, with everything in it.';

CREATE FUNCTION tables.drop_discarded_roles() RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
    gone text;
begin
    for gone in select role from tables.discarded_roles for update skip locked loop
        begin
            execute format('drop role if exists %I', gone);
            delete from tables.discarded_roles where role = gone;
        exception when dependent_objects_still_exist then
            null;  -- it can do nothing, and nobody waits for it
        end;
    end loop;
end
$$;

COMMENT ON FUNCTION tables.drop_discarded_roles() IS 'Drops the roles of schemas that are gone.';

CREATE FUNCTION tables.find_again(in_schema integer) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    here constant integer := core.current_space();
    lost constant integer[] := array(
        select r.id
        from tables.relations r
        join tables.schemas s on s.space_id = r.space_id and s.id = r.schema_id
        join pg_namespace n on n.nspname = s.schema_name
        join pg_class there on there.relnamespace = n.oid and there.relname = r.table_name
            and there.relkind in ('r', 'p')
        left join pg_class c on c.oid = r.relation and c.relnamespace = n.oid and c.relname = r.table_name
        where r.space_id = here and r.schema_id = in_schema and c.oid is null);
begin
    -- First out of the way: the new number of one may be the old one of another.
    update tables.relations set relation = (4294967295 - id)::oid
    where space_id = here and schema_id = in_schema and id = any(lost);
    update tables.relations r
    set relation = c.oid,
        columns = (
            select coalesce(jsonb_object_agg(a.attnum, a.attname), '{}')
            from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped)
    from tables.schemas s
    join pg_namespace n on n.nspname = s.schema_name
    join pg_class c on c.relnamespace = n.oid
    where r.space_id = here and r.schema_id = in_schema and r.id = any(lost)
        and s.space_id = r.space_id and s.id = r.schema_id
        and c.relname = r.table_name and c.relkind in ('r', 'p');
    return cardinality(lost);
end
$$;

COMMENT ON FUNCTION tables.find_again(in_schema integer) IS 'Corrects the oids of the tables of a schema after a dump was read in; returns how many were wrong.';

CREATE FUNCTION tables.follow_structure() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    r constant tables.relations := coalesce(new, old);
    entered constant text := coalesce(current_setting('quipu.space', true), '');
begin
    if not exists (select from tables.schemas s where s.space_id = r.space_id and s.id = r.schema_id) then
        return null;
    end if;
    if lower(tg_op) <> 'insert' or r.fields <> '{}' then
        insert into tables.dirty_rows (space_id, schema_id, relation_id) values (r.space_id, r.schema_id, r.id);
    end if;
    if r.fields <> '{}' then
        perform set_config('quipu.space', (select name from core.spaces where id = r.space_id), true);
        update core.spaces set unindexed = unindexed | 32 where id = r.space_id and unindexed & 32 = 0;
        perform set_config('quipu.space', entered, true);
    end if;
    return null;
end
$$;

CREATE FUNCTION tables.found(short_name text, physical_name text, about text, writer_role text, reader_role text, writer_secret text, reader_secret text, writer_pass text, reader_pass text) RETURNS integer
    LANGUAGE plpgsql
    AS $$
declare
    made integer;
begin
    -- Said by the migrations too, but rights on a database do not come along when it is copied or restored.
    execute format('grant create, temporary on database %I to quipu_owner', current_database());
    execute format('grant temporary on database %I to quipu_app', current_database());
    execute format('revoke temporary on database %I from public', current_database());

    execute format('create role %I login noinherit nocreatedb nocreaterole connection limit 6 password %L',
        writer_role, writer_secret);
    execute format('create role %I login noinherit nocreatedb nocreaterole connection limit 6 password %L',
        reader_role, reader_secret);
    -- The owner of the house may do with the objects of a writer what the writer may; never the other way round.
    execute format('grant %I to quipu_owner', writer_role);
    if (select rolsuper from pg_catalog.pg_roles where rolname = current_user) then
        execute format('alter role %I set temp_file_limit = %L', writer_role, '256MB');
        execute format('alter role %I set temp_file_limit = %L', reader_role, '256MB');
    end if;

    set local role quipu_owner;
    insert into tables.schemas (name, schema_name, description, writer, reader)
    values (short_name, physical_name, about, writer_role, reader_role)
    returning id into made;
    insert into tables.passwords (schema_id, writer_password, reader_password)
    values (made, writer_pass, reader_pass);
    perform tables.furnish(made);
    reset role;
    return made;
end
$$;

COMMENT ON FUNCTION tables.found(short_name text, physical_name text, about text, writer_role text, reader_role text, writer_secret text, reader_secret text, writer_pass text, reader_pass text) IS 'Makes a schema for the space that was entered, with its two roles; returns its id.';

CREATE FUNCTION tables.furnish(made integer) RETURNS void
    LANGUAGE plpgsql
    AS $_$
declare
    s tables.schemas;
begin
    select * into strict s from tables.schemas where id = made;
    execute format('create schema if not exists %I', s.schema_name);
    execute format($x$
        create table if not exists %1$I.schema_registry (
            table_name text primary key,
            description text,
            embeddable_fields text[] not null default '{}',
            created_at timestamptz not null default now(),
            updated_at timestamptz not null default now()
        )$x$, s.schema_name);
    execute format('comment on table %I.schema_registry is %L', s.schema_name,
        'What each table is for, and which of its fields are embedded. Kept by the engine.');
    execute format('grant usage, create on schema %I to %I', s.schema_name, s.writer);
    execute format('grant usage on schema %I to %I', s.schema_name, s.reader);
    execute format('grant select, insert, update on %I.schema_registry to %I', s.schema_name, s.writer);
    execute format('grant select on %I.schema_registry to %I', s.schema_name, s.reader);
    execute format('alter default privileges for role %I in schema %I grant select on tables to %I',
        s.writer, s.schema_name, s.reader);
    execute format('alter default privileges for role %I in schema %I grant select on sequences to %I',
        s.writer, s.schema_name, s.reader);
    if to_regprocedure('tables.furnish_embeddings(integer)') is not null then
        execute 'select tables.furnish_embeddings($1)' using made;
    end if;
end
$_$;

COMMENT ON FUNCTION tables.furnish(made integer) IS 'Makes the schema of that id with its protected objects and its rights.';

CREATE FUNCTION tables.furnish_embeddings(made integer) RETURNS void
    LANGUAGE plpgsql
    AS $_$
declare
    s tables.schemas;
begin
    select * into strict s from tables.schemas where id = made;
    insert into tables.following (space_id, schema_id) values (s.space_id, s.id) on conflict do nothing;
    execute format($x$
        create or replace view %1$I.embeddings with (security_barrier) as
        with shown as not materialized (
            select m.id, r.table_name as source_table, m.source_id, m.field_name, m.chunk_index, e.content,
                m.content_hash, v.context as embedding, m.created_at, m.updated_at
            from tables.embeddings m
            join tables.relations r on r.space_id = m.space_id and r.schema_id = m.schema_id and r.id = m.relation_id
            left join core.recall_entries e on e.space_id = %2$s and e.id = m.entry_id
            left join core.recall_vectors v on v.space_id = %2$s and v.entry_id = m.entry_id
                and v.generation = (select p.generation from core.spaces p where p.id = %2$s)
            where m.space_id = %2$s and m.schema_id = %3$s
                and (
                    not (select exists (select from tables.dirty_rows d where d.space_id = %2$s and d.schema_id = %3$s))
                    or not exists (
                        select from tables.dirty_rows d
                        where d.space_id = %2$s and d.schema_id = %3$s and d.relation_id = m.relation_id
                            and (hashtextextended(d.source_id, 0) is null
                                or hashtextextended(d.source_id, 0) = hashtextextended(m.source_id, 0)
                                    and d.source_id = m.source_id)))
        )
        select * from shown
        $x$, s.schema_name, s.space_id, s.id);
    execute format('comment on view %I.embeddings is %L', s.schema_name,
        'The vectors of embedded fields. They follow the rows by themselves.');
    execute format('create or replace trigger write_embedding instead of insert or update on %I.embeddings'
        ' for each row execute function tables.write_embedding(%s, %s)', s.schema_name, s.space_id, s.id);
    execute format('revoke all on %I.embeddings from %I, %I', s.schema_name, s.writer, s.reader);
    execute format('grant select on %I.embeddings to %I, %I', s.schema_name, s.writer, s.reader);
    execute format($x$
        grant
            insert (id, source_table, source_id, field_name, chunk_index, content, content_hash, embedding, created_at,
                updated_at),
            update (id, source_table, source_id, field_name, chunk_index, content, content_hash, embedding, created_at,
                updated_at)
        on %I.embeddings to %I
        $x$, s.schema_name, s.writer);
end
$_$;

COMMENT ON FUNCTION tables.furnish_embeddings(made integer) IS 'Makes the view embeddings of the schema of that id.';

CREATE FUNCTION tables.hold_still() RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    own record;
begin
    for own in
        select c.oid::regclass as name
        from tables.schemas s
        join pg_class c on c.relnamespace = to_regnamespace(quote_ident(s.schema_name))
        where s.space_id = core.current_space() and c.relkind in ('r', 'p')
        order by c.oid
    loop
        execute format('lock table %s in share mode', own.name);
    end loop;
    perform from tables.schemas where space_id = core.current_space() for update;
end
$$;

COMMENT ON FUNCTION tables.hold_still() IS 'Until the end of the transaction nothing changes in the schemas of the space that was entered; they can be read.';

CREATE FUNCTION tables.is_own(in_table text) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
    select exists (
        select from tables.schemas s
        join pg_class c on c.relnamespace = to_regnamespace(quote_ident(s.schema_name)) and c.relname = in_table
            and c.relkind in ('r', 'p', 'f')
        where s.writer = session_user)
    $$;

COMMENT ON FUNCTION tables.is_own(in_table text) IS 'Whether the writer who is logged in has a table of that name.';

CREATE FUNCTION tables.is_taken(in_begin text) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
    select exists (
        select from tables.schemas s
        cross join lateral (
            select relname from pg_class where relnamespace = to_regnamespace(quote_ident(s.schema_name))
            union all
            select typname from pg_type where typnamespace = to_regnamespace(quote_ident(s.schema_name))
        ) t (name)
        where s.writer = session_user and starts_with(t.name, in_begin))
    $$;

COMMENT ON FUNCTION tables.is_taken(in_begin text) IS 'Whether a name in the schema of the writer who is logged in begins so.';

CREATE FUNCTION tables.keep_own() RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    own record;
begin
    for own in
        select c.oid::regclass as name, c.relforcerowsecurity as forced, c.relkind = 'S' as counts,
            not has_table_privilege(session_user, c.oid, 'select') as closed,
            c.relkind in ('r', 'm')
                and 'autovacuum_analyze_threshold=2147483647' <> all (coalesce(c.reloptions, '{}'))
                and (exists (select from pg_index i where i.indrelid = c.oid
                        and (i.indexprs is not null or i.indpred is not null))
                    or exists (select from pg_statistic_ext e where e.stxrelid = c.oid and e.stxexprs is not null))
                as computes
        from tables.schemas s
        join pg_class c on c.relnamespace = to_regnamespace(quote_ident(s.schema_name))
        where s.writer = session_user and pg_get_userbyid(c.relowner) = session_user
            and c.relkind in ('r', 'p', 'v', 'm', 'S')
    loop
        if own.forced then
            execute format('alter table %s no force row level security', own.name);
        end if;
        if own.closed then
            execute format('grant all on %s %s to %I', case when own.counts then 'sequence' else 'table' end,
                own.name, session_user);
        end if;
        if own.computes then
            execute format('alter table %s set (autovacuum_analyze_threshold = 2147483647,'
                ' autovacuum_analyze_scale_factor = 100)', own.name);
        end if;
    end loop;
end
$$;

COMMENT ON FUNCTION tables.keep_own() IS 'Has whoever is logged in as a writer read all rows of its own tables, and autovacuum run no code of theirs.';

CREATE FUNCTION tables.note_rows() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $_$
declare
    r tables.relations;
    keyed text;
    shown text;
    fields text[];
    written text;
begin
    select * into r from tables.relations
    where space_id = tg_argv[0]::integer and schema_id = tg_argv[1]::integer and id = tg_argv[2]::integer;
    if r.id is null then
        return null;
    end if;
    select case count(*) when 0 then null
            when 1 then min(format('format(''%%s'', x.%I)', a.attname))
            else 'jsonb_build_array(' || string_agg(format('format(''%%s'', x.%I)', a.attname), ', ' order by k.place) || ')::text'
        end
    into keyed
    from pg_index i
    cross join lateral unnest(i.indkey::int2[]) with ordinality k (num, place)
    join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.num
    where i.indrelid = r.relation and i.indisprimary;
    select array_agg(format('x.%I', a.attname)) into fields
    from pg_attribute a
    where a.attrelid = tg_relid and a.attname = any(r.fields) and a.attnum > 0 and not a.attisdropped;
    if lower(tg_op) = 'truncate' or keyed is null or cardinality(fields) is distinct from cardinality(r.fields) then
        insert into tables.dirty_rows (space_id, schema_id, relation_id) values (r.space_id, r.schema_id, r.id);
        return null;
    end if;
    shown := array_to_string(array(select format('format(''%%s'', %s)', f) from unnest(fields) f), ', ');
    written := case lower(tg_op)
        when 'insert' then format('select %s as key from new_rows x where concat(%s) <> ''''', keyed, array_to_string(fields, ', '))
        when 'delete' then format('select %s as key from old_rows x where concat(%s) <> ''''', keyed, array_to_string(fields, ', '))
        else format(
            '(select %1$s as key, %2$s from old_rows x except select %1$s, %2$s from new_rows x)'
            ' union (select %1$s, %2$s from new_rows x except select %1$s, %2$s from old_rows x)', keyed, shown)
    end;
    execute format(
        'insert into tables.dirty_rows (space_id, schema_id, relation_id, source_id)'
        ' select distinct $1, $2, $3, y.key from (%s) y', written)
    using r.space_id, r.schema_id, r.id;
    return null;
end
$_$;

COMMENT ON FUNCTION tables.note_rows() IS 'Writes down which rows a statement changed.';

CREATE FUNCTION tables.own_parts(in_table text) RETURNS TABLE(kind text, of text, name text, definition text, statement text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    SET row_security TO 'on'
    AS $$
    select p.*
    from tables.schemas s
    join pg_class c on c.relnamespace = to_regnamespace(quote_ident(s.schema_name)) and c.relname = in_table
        and c.relkind in ('r', 'p')
    cross join lateral tables.parts_of(c.oid) p
    where s.writer = session_user
    $$;

COMMENT ON FUNCTION tables.own_parts(in_table text) IS 'The parts of a table of the writer who is logged in.';

CREATE FUNCTION tables.own_rights() RETURNS TABLE(kind text, names text[], args text[], ahead text, called text, rights jsonb, usual jsonb)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
    with own as (
        select s.schema_name, n.oid as schema, n.nspacl, n.nspowner, w.oid as writer, r.oid as reader
        from tables.schemas s
        join pg_namespace n on n.nspname = s.schema_name
        join pg_roles w on w.rolname = s.writer
        join pg_roles r on r.rolname = s.reader
        where s.writer = session_user
    ),
    relations as (
        select c.*, case c.relkind when 'S' then 'sequence' else 'table' end as called
        from own o join pg_class c on c.relnamespace = o.schema and c.relowner = o.writer
        where c.relkind in ('r', 'p', 'v', 'm', 'f', 'S')
    ),
    -- What the reader may read is given to it again at the end of each call, so it is usual of all relations.
    objects (kind, names, args, ahead, called, acl, usual, is_read) as (
        select c.called, array[c.relname::text], '{}'::text[], '', format('%s %I.%I', c.called, o.schema_name, c.relname),
            c.relacl, acldefault(case c.relkind when 'S' then 's' else 'r' end::"char", c.relowner), true
        from own o cross join relations c
        union all
        select 'column', array[c.relname::text, a.attname::text], '{}', '', format('table %I.%I', o.schema_name, c.relname),
            a.attacl, '{}', false
        from own o cross join relations c
        join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        where c.relkind <> 'S'
        union all
        select 'routine', array[p.proname::text], array(
                select format_type(t.type, null) from unnest(p.proargtypes) with ordinality t (type, place)
                order by t.place),
            '', format('routine %I.%I(%s)', o.schema_name, p.proname, pg_get_function_identity_arguments(p.oid)),
            p.proacl, acldefault('f', p.proowner), false
        from own o join pg_proc p on p.pronamespace = o.schema and p.proowner = o.writer
        union all
        select 'type', array[t.typname::text], '{}', '', format('type %I.%I', o.schema_name, t.typname),
            t.typacl, acldefault('T', t.typowner), false
        from own o join pg_type t on t.typnamespace = o.schema and t.typowner = o.writer
        left join pg_class c on c.oid = t.typrelid
        where t.typtype in ('e', 'd', 'r', 'c') and coalesce(c.relkind, 'c') = 'c'
        union all
        select 'default', array[w.place, k.called], '{}',
            'alter default privileges ' || case w.place when '' then '' else format('in schema %I ', o.schema_name) end,
            k.called, d.defaclacl, case w.place when '' then acldefault(k.type, o.writer) else '{}' end,
            w.place <> '' and k.called in ('tables', 'sequences')
        from own o
        cross join (values ('tables', 'r'::"char", 'r'::"char"), ('sequences', 'S', 's'), ('routines', 'f', 'f'),
            ('types', 'T', 'T')) k (called, code, type)
        cross join lateral (values ('', 0::oid), ('schema', o.schema)) w (place, namespace)
        left join pg_default_acl d on d.defaclrole = o.writer and d.defaclnamespace = w.namespace
            and d.defaclobjtype = k.code
        union all
        select 'schema', '{}', '{}', '', format('schema %I', o.schema_name), array(
            select x from unnest(o.nspacl) x, aclexplode(array[x]) e
            where e.grantee not in (o.nspowner, o.writer, o.reader)), '{}', false
        from own o
    )
    select b.kind, b.names, b.args, b.ahead, b.called, tables.told_rights(
            coalesce(b.acl, b.usual) || case when b.is_read then r.read end, o.writer, o.reader),
        tables.told_rights(b.usual || case when b.is_read then r.read end, o.writer, o.reader)
    from objects b cross join own o
    cross join lateral (select array[makeaclitem(o.reader, o.writer, 'select', false)] as read) r
    union all
    select 'policy', array[c.relname::text, p.polname::text], '{}', '', '', (
            select jsonb_agg(jsonb_build_array(w.who, case when w.who = 'role' then pg_get_userbyid(g.role) else '' end,
                case when w.who = 'role' then g.role::bigint else 0 end, 'policy', false) order by g.role)
            from unnest(p.polroles) g (role)
            cross join lateral (select case g.role when 0 then 'public' when o.writer then 'writer'
                when o.reader then 'reader' else 'role' end as who) w),
        '[["public", "", 0, "policy", false]]'
    from own o cross join relations c join pg_policy p on p.polrelid = c.oid
    union all
    -- What a publication has of the schema goes with it, and only the publication's owner gives it again.
    select k.kind, k.names, '{}', '', k.called, jsonb_agg(jsonb_build_array('publication', p.pubname, 0, 'publication', false)
        order by p.pubname), '[]'
    from (
        select 'published' as kind, array[c.relname::text] as names, '' as called, r.prpubid as publication
        from relations c join pg_publication_rel r on r.prrelid = c.oid
        union all
        select 'published', '{}', '', r.pnpubid from own o join pg_publication_namespace r on r.pnnspid = o.schema
    ) k
    join pg_publication p on p.oid = k.publication
    group by 1, 2, 5
    union all
    -- What somebody else made of it goes along as well.
    select distinct 'dependant', array[pg_describe_object('pg_class'::regclass, v.oid, 0)], '{}'::text[], '', '', '[]'::jsonb,
        '[]'::jsonb
    from own o cross join relations c
    join pg_depend d on d.refclassid = 'pg_class'::regclass and d.refobjid = c.oid and d.deptype = 'n'
    left join pg_rewrite u on d.classid = 'pg_rewrite'::regclass and u.oid = d.objid
    left join pg_constraint k on d.classid = 'pg_constraint'::regclass and k.oid = d.objid and k.contype = 'f'
    join pg_class v on v.oid = coalesce(u.ev_class, k.conrelid) and v.relnamespace <> o.schema
    $$;

COMMENT ON FUNCTION tables.own_rights() IS 'What roles may do with the objects of the writer that is logged in, beside what is usual of each.';

CREATE FUNCTION tables.own_state() RETURNS TABLE(object text, state text, updated bigint, deleted bigint)
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    SET row_security TO 'on'
    AS $$
    with own as (
        select n.oid as schema from tables.schemas s
        join pg_namespace n on n.nspname = s.schema_name
        where s.writer = session_user
    ),
    relations as (
        select c.* from own join pg_class c on c.relnamespace = own.schema
        where pg_get_userbyid(c.relowner) = session_user or c.relname = 'schema_registry'
    ),
    functions as (
        select p.* from own join pg_proc p on p.pronamespace = own.schema
        where pg_get_userbyid(p.proowner) = session_user
    ),
    types as (
        select t.* from own join pg_type t on t.typnamespace = own.schema
        where pg_get_userbyid(t.typowner) = session_user
    )
    select pg_describe_object('pg_class'::regclass, c.oid, 0),
        case when c.relkind = 'r' then c.relfilenode::text when c.relkind in ('v', 'm') then pg_get_viewdef(c.oid) end,
        coalesce(pg_stat_get_xact_tuples_updated(c.oid), 0), coalesce(pg_stat_get_xact_tuples_deleted(c.oid), 0)
    from relations c where c.relkind <> 't'
    union all
    select 'row level security of ' || pg_describe_object('pg_class'::regclass, c.oid, 0),
        concat_ws(' ', c.relrowsecurity, c.relforcerowsecurity), 0, 0
    from relations c where c.relkind in ('r', 'p')
    union all
    select 'replica identity of ' || pg_describe_object('pg_class'::regclass, c.oid, 0),
        concat_ws(' ', c.relreplident, (select i.indexrelid::regclass from pg_index i
            where i.indrelid = c.oid and i.indisreplident)), 0, 0
    from relations c where c.relkind in ('r', 'p')
    union all
    select 'options of ' || pg_describe_object('pg_class'::regclass, c.oid, 0), array_to_string(c.reloptions, ' '), 0, 0
    from relations c where c.relkind in ('r', 'p', 'v', 'm')
    union all
    select format('publication %s of %s', p.pubname, pg_describe_object('pg_class'::regclass, c.oid, 0)), null, 0, 0
    from relations c join pg_publication_rel r on r.prrelid = c.oid join pg_publication p on p.oid = r.prpubid
    union all
    -- A right that somebody has; what the engine gives again at the end of each call is none to lose.
    select format('right %s on %s of %s', lower(x.privilege_type), o.object,
        case when x.grantee = 0 then 'public' else pg_get_userbyid(x.grantee) end), null, 0, 0
    from (
        select pg_describe_object('pg_class'::regclass, c.oid, 0), c.relacl, c.relowner from relations c
        union all
        select pg_describe_object('pg_class'::regclass, c.oid, a.attnum), a.attacl, c.relowner
        from relations c join pg_attribute a on a.attrelid = c.oid and a.attacl is not null
        union all
        select pg_describe_object('pg_proc'::regclass, p.oid, 0),
            coalesce(p.proacl, acldefault('f', p.proowner)), p.proowner from functions p
        union all
        select pg_describe_object('pg_type'::regclass, t.oid, 0), coalesce(t.typacl, acldefault('T', t.typowner)), t.typowner
        from types t where t.typelem = 0 and t.typtype in ('e', 'd', 'r')
        union all
        select w.place || k.called, coalesce(d.defaclacl, case w.place when 'new ' then acldefault(k.type, r.oid) end), r.oid
        from own join pg_roles r on r.rolname = session_user
        cross join (values ('tables', 'r'::"char", 'r'::"char"), ('sequences', 'S', 's'), ('routines', 'f', 'f'),
            ('types', 'T', 'T')) k (called, code, type)
        cross join lateral (values ('new ', 0::oid), ('new own ', own.schema)) w (place, namespace)
        left join pg_default_acl d on d.defaclrole = r.oid and d.defaclnamespace = w.namespace
            and d.defaclobjtype = k.code
    ) o (object, acl, owner)
    cross join aclexplode(o.acl) x
    where x.grantee <> o.owner
    union all
    select 'numbering of ' || pg_describe_object('pg_class'::regclass, c.oid, 0),
        concat_ws(' ', q.seqstart, q.seqincrement, q.seqmin, q.seqmax, q.seqcycle, q.seqtypid), 0, 0
    from relations c join pg_sequence q on q.seqrelid = c.oid
    union all
    select 'number of ' || pg_describe_object('pg_class'::regclass, c.oid, 0),
        pg_sequence_last_value(c.oid) || ' ' || sign(q.seqincrement), 0, 0
    from relations c join pg_sequence q on q.seqrelid = c.oid where not q.seqcycle
    union all
    select pg_describe_object('pg_class'::regclass, c.oid, a.attnum),
        concat(format_type(a.atttypid, a.atttypmod), a.attidentity), 0, 0
    from relations c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relkind in ('r', 'p', 'c')
    union all
    select pg_describe_object('pg_attrdef'::regclass, d.oid, 0), pg_get_expr(d.adbin, d.adrelid), 0, 0
    from relations c join pg_attrdef d on d.adrelid = c.oid
    union all
    select pg_describe_object('pg_constraint'::regclass, k.oid, 0), pg_get_constraintdef(k.oid), 0, 0
    from own join pg_constraint k on k.connamespace = own.schema
    where pg_get_userbyid(coalesce((select relowner from pg_class where oid = nullif(k.conrelid, 0)),
        (select typowner from pg_type where oid = nullif(k.contypid, 0)))) = session_user
    union all
    select pg_describe_object('pg_trigger'::regclass, t.oid, 0), concat(pg_get_triggerdef(t.oid), t.tgenabled), 0, 0
    from relations c join pg_trigger t on t.tgrelid = c.oid join pg_proc p on p.oid = t.tgfoid
    where not t.tgisinternal and pg_get_userbyid(p.proowner) <> 'quipu_owner'
    union all
    select pg_describe_object('pg_rewrite'::regclass, r.oid, 0), concat(pg_get_ruledef(r.oid), r.ev_enabled), 0, 0
    from relations c join pg_rewrite r on r.ev_class = c.oid and r.rulename <> '_RETURN'
    union all
    select pg_describe_object('pg_policy'::regclass, p.oid, 0),
        concat(p.polcmd, p.polpermissive, array(select r.role::regrole::text from unnest(p.polroles) r (role) order by 1),
            pg_get_expr(p.polqual, p.polrelid), ' check ', pg_get_expr(p.polwithcheck, p.polrelid)), 0, 0
    from relations c join pg_policy p on p.polrelid = c.oid
    union all
    select pg_describe_object('pg_proc'::regclass, p.oid, 0),
        md5(concat(p.prosrc, pg_get_function_sqlbody(p.oid), p.prosecdef, p.proconfig, p.prolang, p.provolatile,
            p.proisstrict, p.proleakproof, p.proparallel)), 0, 0
    from functions p
    union all
    select pg_describe_object('pg_type'::regclass, t.oid, 0),
        t.typdefault, 0, 0
    from types t where t.typelem = 0 and t.typtype in ('e', 'd', 'r')
    union all
    select format('value %L of %s', e.enumlabel, pg_describe_object('pg_type'::regclass, t.oid, 0)), null, 0, 0
    from types t join pg_enum e on e.enumtypid = t.oid
    union all
    select pg_describe_object('pg_statistic_ext'::regclass, e.oid, 0), concat(pg_get_statisticsobjdef(e.oid), e.stxstattarget), 0, 0
    from own join pg_statistic_ext e on e.stxnamespace = own.schema where pg_get_userbyid(e.stxowner) = session_user
    union all
    select pg_describe_object('pg_operator'::regclass, o.oid, 0), null, 0, 0
    from own join pg_operator o on o.oprnamespace = own.schema where pg_get_userbyid(o.oprowner) = session_user
    union all
    select pg_describe_object(o.class, o.oid, 0), o.state, 0, 0
    from (
        select 'pg_cast'::regclass as class, k.oid, null as state from pg_cast k
        where k.castsource in (select oid from types) or k.casttarget in (select oid from types)
            or k.castfunc in (select oid from functions)
        union all
        select 'pg_ts_config'::regclass, f.oid, concat(f.cfgparser, (
                select string_agg(concat_ws(' ', m.maptokentype, m.mapseqno, m.mapdict), ',' order by 1)
                from pg_ts_config_map m where m.mapcfg = f.oid))
        from own join pg_ts_config f on f.cfgnamespace = own.schema
        union all
        select 'pg_ts_dict'::regclass, d.oid, concat(d.dicttemplate, ' ', d.dictinitoption) from own join pg_ts_dict d on d.dictnamespace = own.schema
        union all
        select 'pg_collation'::regclass, l.oid, null from own join pg_collation l on l.collnamespace = own.schema
        union all
        select 'pg_conversion'::regclass, v.oid, null from own join pg_conversion v on v.connamespace = own.schema
    ) o
    union all
    select format('part %s of %s', h.inhrelid::regclass, h.inhparent::regclass), null, 0, 0
    from relations c join pg_inherits h on h.inhparent = c.oid where c.relkind in ('r', 'p')
    union all
    select 'comment of ' || pg_describe_object(d.classoid, d.objoid, d.objsubid), md5(d.description), 0, 0
    from (
        select 'pg_class'::regclass::oid as class, oid from relations
        union all
        select 'pg_proc'::regclass, oid from functions
        union all
        select 'pg_type'::regclass, oid from types
        union all
        select 'pg_constraint'::regclass, k.oid from own join pg_constraint k on k.connamespace = own.schema
        union all
        select 'pg_trigger'::regclass, t.oid from relations c join pg_trigger t on t.tgrelid = c.oid
        union all
        select 'pg_rewrite'::regclass, r.oid from relations c join pg_rewrite r on r.ev_class = c.oid
        union all
        select 'pg_policy'::regclass, p.oid from relations c join pg_policy p on p.polrelid = c.oid
        union all
        select 'pg_statistic_ext'::regclass, e.oid from own join pg_statistic_ext e on e.stxnamespace = own.schema
        union all
        select 'pg_operator'::regclass, o.oid from own join pg_operator o on o.oprnamespace = own.schema
        union all
        select 'pg_ts_config'::regclass, f.oid from own join pg_ts_config f on f.cfgnamespace = own.schema
        union all
        select 'pg_ts_dict'::regclass, f.oid from own join pg_ts_dict f on f.dictnamespace = own.schema
        union all
        select 'pg_collation'::regclass, l.oid from own join pg_collation l on l.collnamespace = own.schema
    ) o join pg_description d on d.classoid = o.class and d.objoid = o.oid
    $$;

COMMENT ON FUNCTION tables.own_state() IS 'Every object of the writer who is logged in, how it is defined, and how many of its rows this transaction updated and deleted.';

CREATE FUNCTION tables.own_unkeyed() RETURNS SETOF text
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
    select r.table_name
    from tables.schemas s
    join tables.relations r on r.space_id = s.space_id and r.schema_id = s.id
    where s.writer = session_user and r.fields <> '{}' and r.key = '{}'
    order by 1
    $$;

COMMENT ON FUNCTION tables.own_unkeyed() IS 'Tables of the writer who is logged in that have fields to be embedded and no primary key, so that none is.';

CREATE FUNCTION tables.parts_of(in_relation oid) RETURNS TABLE(kind text, of text, name text, definition text, statement text)
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
    with recursive resting (relation, depth) as (
        select in_relation, 0
        union
        select r.ev_class, s.depth + 1
        from resting s
        join pg_depend d on d.refclassid = 'pg_class'::regclass and d.refobjid = s.relation
            and d.classid = 'pg_rewrite'::regclass
        join pg_rewrite r on r.oid = d.objid
        join pg_class v on v.oid = r.ev_class and v.relkind in ('v', 'm')
        where r.ev_class <> s.relation and s.depth < 20
    ),
    relations as (
        select c.*, max(s.depth) as depth, c.oid::regclass::text as full_name,
            case c.relkind when 'v' then 'view' when 'm' then 'materialized view' else 'table' end as called
        from resting s join pg_class c on c.oid = s.relation
        group by c.oid
    ),
    -- What numbers a column belongs to it; a serial is written as one.
    sequences as (
        select p.refobjid as relation, p.refobjsubid as num, q.oid, q.relname, p.deptype = 'a' as is_serial
        from pg_depend p join pg_class q on q.oid = p.objid and q.relkind = 'S'
        where p.classid = 'pg_class'::regclass and p.refclassid = 'pg_class'::regclass
            and p.refobjid = in_relation and p.refobjsubid > 0 and p.deptype in ('a', 'i')
    ),
    columns as (
        select a.attnum, a.attname, a.attgenerated <> '' as is_computed,
            case when not coalesce(q.is_serial, false) then format_type(a.atttypid, a.atttypmod)
                when a.atttypid = 'bigint'::regtype then 'bigserial'
                when a.atttypid = 'smallint'::regtype then 'smallserial'
                else 'serial' end
            || case when l.oid is null then '' else ' collate ' || l.oid::regcollation::text end
            || case when a.attgenerated <> '' then ' generated always as (' || pg_get_expr(d.adbin, d.adrelid) || ')'
                    || case a.attgenerated when 's' then ' stored' else ' virtual' end
                when a.attidentity <> '' then
                    case a.attidentity when 'a' then ' generated always' else ' generated by default' end
                    || ' as identity' || case when n.seqstart = 1 and n.seqincrement = 1 and not n.seqcycle then ''
                        else format(' (start with %s increment by %s%s)', n.seqstart, n.seqincrement,
                            case when n.seqcycle then ' cycle' else '' end) end
                when d.oid is not null and not coalesce(q.is_serial, false)
                    then ' default ' || pg_get_expr(d.adbin, d.adrelid)
                else '' end
            || case when a.attnotnull and a.attidentity = '' and not coalesce(q.is_serial, false) then ' not null'
                else '' end as definition
        from pg_attribute a
        join pg_type t on t.oid = a.atttypid
        left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
        left join sequences q on q.num = a.attnum
        left join pg_sequence n on n.seqrelid = q.oid
        left join pg_collation l on l.oid = a.attcollation and a.attcollation <> t.typcollation
        where a.attrelid = in_relation and a.attnum > 0 and not a.attisdropped
    ),
    parts (place, kind, relation, of, name, definition, statement) as (
        -- What a CREATE TABLE says.
        select 1, case when is_computed then 'computed column' else 'column' end, in_relation, null, attname,
            definition, null
        from columns
        union all
        select 2, 'constraint', in_relation, case when k.confrelid = in_relation then in_relation::regclass::text end,
            k.conname, pg_get_constraintdef(k.oid), null
        from pg_constraint k where k.conrelid = in_relation and k.contype not in ('n', 't')
        union all
        select 3, 'setting', r.oid, null, split_part(o.option, '=', 1), o.option, null
        from relations r cross join unnest(r.reloptions) o (option)
        where r.oid = in_relation and o.option not in
            ('autovacuum_analyze_threshold=2147483647', 'autovacuum_analyze_scale_factor=100')
        union all
        select 3, 'setting', r.oid, null, 'persistence', 'unlogged', null
        from relations r where r.oid = in_relation and r.relpersistence = 'u'
        union all
        select 3, 'setting', in_relation, null, 'inherits ' || h.inhparent::regclass::text,
            'inherits ' || h.inhparent::regclass::text, null
        from pg_inherits h where h.inhrelid = in_relation
        union all
        -- What takes a name in the schema that the new table may want.
        select 4, 'name', in_relation, null, k.conname, 'constraint', null
        from pg_constraint k where k.conrelid = in_relation and k.contype <> 't'
        union all
        select 4, 'name', in_relation, null, c.relname, 'index', null
        from pg_index i join pg_class c on c.oid = i.indexrelid
        where i.indrelid = in_relation and not exists (
            select from pg_constraint k where k.conindid = i.indexrelid and k.conrelid = i.indrelid)
        union all
        select 4, 'name', in_relation,
            case when q.is_serial and q.relname <> concat(r.relname, '_', c.attname, '_seq') then c.attname end,
            q.relname, 'sequence', null
        from sequences q join columns c on c.attnum = q.num join relations r on r.oid = q.relation
        union all
        select 5, 'shape', r.oid, null, w.words, null, null
        from relations r
        cross join lateral (values
            (r.relkind = 'p', 'it is partitioned'),
            (r.relispartition, 'it is a partition'),
            (r.reloftype <> 0, 'it is made of a type')) w (so, words)
        where r.oid = in_relation and w.so
        union all
        -- What does not let it go: it is neither part of it nor made again.
        select distinct 5, 'dependant', in_relation, null, pg_describe_object(d.classid, d.objid, d.objsubid), null,
            null
        from relations r
        left join pg_type t on t.oid = r.reltype
        join pg_depend d on (d.refclassid, d.refobjid) in (('pg_class'::regclass, r.oid), ('pg_type'::regclass, t.oid),
            ('pg_type'::regclass, t.typarray)) or d.refclassid = 'pg_class'::regclass
            and d.refobjid in (select q.oid from sequences q) and r.oid = in_relation
        where not (d.classid = 'pg_class'::regclass
                and (d.objid in (select oid from relations)
                    or d.objid in (select indexrelid from pg_index where indrelid in (select oid from relations))
                    or d.objid in (select oid from sequences) or d.deptype = 'i'))
            and not (d.classid = 'pg_attrdef'::regclass and d.objid in (
                select oid from pg_attrdef where adrelid = in_relation))
            and not (d.classid = 'pg_constraint'::regclass and exists (
                select from pg_constraint k where k.oid = d.objid
                    and (k.conrelid in (select oid from relations) or k.contype = 'f' and k.confrelid = in_relation)))
            and not (d.classid = 'pg_trigger'::regclass and exists (
                select from pg_trigger t where t.oid = d.objid
                    and (t.tgisinternal or t.tgrelid in (select oid from relations))))
            and not (d.classid = 'pg_policy'::regclass and exists (
                select from pg_policy p where p.oid = d.objid and p.polrelid in (select oid from relations)))
            and not (d.classid = 'pg_rewrite'::regclass and exists (
                select from pg_rewrite u where u.oid = d.objid and u.ev_class in (select oid from relations)))
            and not (d.classid = 'pg_statistic_ext'::regclass and exists (
                select from pg_statistic_ext e where e.oid = d.objid and e.stxrelid in (select oid from relations)))
            and not (d.classid = 'pg_type'::regclass and d.deptype = 'i')
        union all
        -- What hangs on it or on its views, in the order in which it is made again.
        select 11, r.called, r.oid, null, r.full_name, null, format('create %s %s%s as %s', r.called, r.full_name,
            coalesce(' with (' || array_to_string(r.reloptions, ', ') || ')', ''), rtrim(pg_get_viewdef(r.oid), ';'))
            || case when r.relispopulated then '' else ' with no data' end
        from relations r where r.oid <> in_relation
        union all
        select 12, 'index', i.indrelid, r.full_name, c.relname, null, pg_get_indexdef(i.indexrelid)
        from relations r join pg_index i on i.indrelid = r.oid join pg_class c on c.oid = i.indexrelid
        where not exists (
            select from pg_constraint k where k.conindid = i.indexrelid and k.conrelid = i.indrelid)
        union all
        select 12, 'clustering by index', r.oid, r.full_name, c.relname, null,
            format('alter %s %s cluster on %I', r.called, r.full_name, c.relname)
        from relations r join pg_index i on i.indrelid = r.oid and i.indisclustered
        join pg_class c on c.oid = i.indexrelid
        union all
        select 12, 'replica identity', r.oid, r.full_name, r.relname, null,
            format('alter table %s replica identity %s', r.full_name, case r.relreplident when 'f' then 'full'
                when 'n' then 'nothing' else format('using index %I', c.relname) end)
        from relations r
        left join pg_index i on i.indrelid = r.oid and i.indisreplident
        left join pg_class c on c.oid = i.indexrelid
        where r.relkind = 'r' and r.relreplident <> 'd'
        union all
        select 13, w.kind || ' of column', r.oid, r.full_name, a.attname, null,
            format('alter table %s alter column %I set %s', r.full_name, a.attname, w.words)
        from relations r
        join pg_attribute a on a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped
        join pg_type t on t.oid = a.atttypid
        cross join lateral (values
            ('storage', 'storage ' || case a.attstorage when 'p' then 'plain' when 'e' then 'external'
                when 'm' then 'main' else 'extended' end, a.attstorage <> t.typstorage),
            ('compression', 'compression ' || case a.attcompression when 'l' then 'lz4' else 'pglz' end,
                a.attcompression <> ''),
            ('statistics', 'statistics ' || a.attstattarget, coalesce(a.attstattarget, -1) >= 0),
            ('options', '(' || array_to_string(a.attoptions, ', ') || ')', a.attoptions is not null)
        ) w (kind, words, so)
        where r.relkind = 'r' and w.so
        union all
        select 13, 'reference', in_relation, k.conrelid::regclass::text, k.conname, pg_get_constraintdef(k.oid),
            format('alter table %s add constraint %I %s', k.conrelid::regclass, k.conname, pg_get_constraintdef(k.oid))
        from pg_constraint k
        where k.confrelid = in_relation and k.contype = 'f' and k.conrelid <> k.confrelid and k.conparentid = 0
        union all
        select 14, 'statistics', r.oid, r.full_name, e.stxname, null, pg_get_statisticsobjdef(e.oid)
        from relations r join pg_statistic_ext e on e.stxrelid = r.oid
        union all
        select 15, 'trigger', r.oid, r.full_name, t.tgname, null, pg_get_triggerdef(t.oid)
        from relations r join pg_trigger t on t.tgrelid = r.oid join pg_proc p on p.oid = t.tgfoid
        where not t.tgisinternal and pg_get_userbyid(p.proowner) <> 'quipu_owner'
        union all
        select 16, 'state of trigger', r.oid, r.full_name, t.tgname, null,
            format('alter table %s %s trigger %I', r.full_name, case t.tgenabled when 'D' then 'disable'
                when 'A' then 'enable always' else 'enable replica' end, t.tgname)
        from relations r join pg_trigger t on t.tgrelid = r.oid join pg_proc p on p.oid = t.tgfoid
        where not t.tgisinternal and pg_get_userbyid(p.proowner) <> 'quipu_owner' and t.tgenabled <> 'O'
        union all
        select 17, 'rule', r.oid, r.full_name, u.rulename, null, pg_get_ruledef(u.oid)
        from relations r join pg_rewrite u on u.ev_class = r.oid where u.rulename <> '_RETURN'
        union all
        select 18, 'state of rule', r.oid, r.full_name, u.rulename, null,
            format('alter table %s %s rule %I', r.full_name, case u.ev_enabled when 'D' then 'disable'
                when 'A' then 'enable always' else 'enable replica' end, u.rulename)
        from relations r join pg_rewrite u on u.ev_class = r.oid
        where u.rulename <> '_RETURN' and u.ev_enabled <> 'O'
        union all
        select 18, 'policy', r.oid, r.full_name, p.polname, null,
            format('create policy %I on %s as %s for %s to %s', p.polname, r.full_name,
                case when p.polpermissive then 'permissive' else 'restrictive' end,
                case p.polcmd when 'r' then 'select' when 'a' then 'insert' when 'w' then 'update'
                    when 'd' then 'delete' else 'all' end,
                (select string_agg(case when o.role = 0 then 'public' else o.role::regrole::text end, ', ')
                    from unnest(p.polroles) o (role)))
            || coalesce(' using (' || pg_get_expr(p.polqual, p.polrelid) || ')', '')
            || coalesce(' with check (' || pg_get_expr(p.polwithcheck, p.polrelid) || ')', '')
        from relations r join pg_policy p on p.polrelid = r.oid
        union all
        select 19, 'row level security', r.oid, r.full_name, w.word, null,
            format('alter table %s %s row level security', r.full_name, w.word)
        from relations r
        cross join lateral (values ('enable', r.relrowsecurity), ('force', r.relforcerowsecurity)) w (word, is_on)
        where w.is_on
        union all
        select 20, 'right', r.oid, r.full_name, x.privilege_type || ' for ' || g.grantee, null,
            format('grant %s on %s to %s', x.privilege_type, r.full_name, g.grantee)
        from relations r cross join aclexplode(r.relacl) x
        cross join lateral (
            select case when x.grantee = 0 then 'public' else x.grantee::regrole::text end as grantee) g
        where x.grantee <> r.relowner and (x.grantee = 0 or pg_get_userbyid(x.grantee) not like 'pg\_%')
        union all
        select 20, 'right to column', r.oid, r.full_name, a.attname, null,
            format('grant %s (%I) on %s to %s', x.privilege_type, a.attname, r.full_name, g.grantee)
        from relations r join pg_attribute a on a.attrelid = r.oid and a.attacl is not null
        cross join aclexplode(a.attacl) x
        cross join lateral (
            select case when x.grantee = 0 then 'public' else x.grantee::regrole::text end as grantee) g
        where x.grantee <> r.relowner
        union all
        select 21, 'comment of ' || o.called, r.oid, r.full_name, o.named, null,
            format('comment on %s is %L', o.written, e.description)
        from relations r
        cross join lateral (
            select 'pg_class'::regclass as class, r.oid as object, a.attnum as sub,
                case when a.attnum is null then r.called else 'column' end as called,
                case when a.attnum is null then r.full_name else a.attname end as named,
                case when a.attnum is null then r.called || ' ' || r.full_name
                    else format('column %s.%I', r.full_name, a.attname) end as written
            from (select null::int2 as attnum, null::name as attname
                union all select attnum, attname from pg_attribute
                where attrelid = r.oid and attnum > 0 and not attisdropped) a
            union all
            select 'pg_constraint'::regclass, k.oid, null, 'constraint', k.conname,
                format('constraint %I on %s', k.conname, r.full_name)
            from pg_constraint k where k.conrelid = r.oid
            union all
            select 'pg_class'::regclass, i.indexrelid, null, 'index', c.relname,
                'index ' || i.indexrelid::regclass::text
            from pg_index i join pg_class c on c.oid = i.indexrelid where i.indrelid = r.oid
            union all
            select 'pg_trigger'::regclass, t.oid, null, 'trigger', t.tgname,
                format('trigger %I on %s', t.tgname, r.full_name)
            from pg_trigger t where t.tgrelid = r.oid and not t.tgisinternal
            union all
            select 'pg_rewrite'::regclass, u.oid, null, 'rule', u.rulename,
                format('rule %I on %s', u.rulename, r.full_name)
            from pg_rewrite u where u.ev_class = r.oid and u.rulename <> '_RETURN'
            union all
            select 'pg_policy'::regclass, p.oid, null, 'policy', p.polname,
                format('policy %I on %s', p.polname, r.full_name)
            from pg_policy p where p.polrelid = r.oid
            union all
            select 'pg_statistic_ext'::regclass, s.oid, null, 'statistics', s.stxname,
                format('statistics %I.%I', s.stxnamespace::regnamespace, s.stxname)
            from pg_statistic_ext s where s.stxrelid = r.oid
        ) o
        join pg_description e on e.classoid = o.class and e.objoid = o.object and e.objsubid = coalesce(o.sub, 0)
    )
    select p.kind::text,
        case when p.relation <> in_relation or p.kind in ('reference', 'constraint', 'name') then p.of end, p.name::text,
        p.definition::text, p.statement::text
    from parts p join relations r on r.oid = p.relation
    order by r.depth, p.place, case when p.place = 1 then (
        select c.attnum from columns c where c.attname = p.name) end,
        p.kind = 'constraint' and p.definition like 'FOREIGN KEY%', p.name, p.of, p.statement
    $$;

COMMENT ON FUNCTION tables.parts_of(in_relation oid) IS 'What the catalogue knows of a table: its definition, what hangs on it and on its views, in the order in which it is made again, and what does not let it go.';

CREATE FUNCTION tables.refuse_virtual() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    computed text;
begin
    select a.attname into computed from pg_attribute a
    where a.attrelid = new.relation and a.attname = any(new.fields) and a.attgenerated = 'v' and not a.attisdropped;
    if computed is not null then
        raise exception '%.% is computed when it is read, and cannot be embedded', new.table_name, computed
            using errcode = 'check_violation',
                hint = 'Declare it GENERATED ALWAYS AS (…) STORED, or embed the columns that it is computed from.';
    end if;
    return new;
end
$$;

CREATE FUNCTION tables.set_passwords(schema integer, writer_secret text, reader_secret text, writer_pass text, reader_pass text) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
    s tables.schemas;
begin
    select * into strict s from tables.schemas where id = schema;
    execute format('alter role %I password %L', s.writer, writer_secret);
    execute format('alter role %I password %L', s.reader, reader_secret);
    update tables.passwords p set writer_password = writer_pass, reader_password = reader_pass
    where p.space_id = s.space_id and p.schema_id = s.id;
end
$$;

COMMENT ON FUNCTION tables.set_passwords(schema integer, writer_secret text, reader_secret text, writer_pass text, reader_pass text) IS 'Gives the roles of a schema new passwords: a role may change its own, and then we could not log in.';

CREATE FUNCTION tables.settle() RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $_$
declare
    s tables.schemas;
    registry regclass;
    seen text;
    moved record;
    hidden regclass;
begin
    select * into s from tables.schemas where writer = session_user for update;
    if s.id is null then
        return null;
    end if;
    registry := format('%I.schema_registry', s.schema_name)::regclass;

    for hidden in  -- from the reader: whatever its owner did with its rights, it can be asked for
        select c.oid from pg_class c
        where c.relnamespace = s.schema_name::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'S')
            and pg_get_userbyid(c.relowner) = session_user and not has_table_privilege(s.reader, c.oid, 'select')
    loop
        execute format('grant select on %s to %I', hidden, s.reader);
    end loop;

    for moved in  -- tables and columns that have another name than before
        select r.table_name as old_name, c.relname::text as new_name, r.columns as old_columns, c.oid as relation
        from tables.relations r
        join pg_class c on c.oid = r.relation
        where r.schema_id = s.id
            and (c.relname <> r.table_name or exists (
                select from jsonb_each_text(r.columns) o (num, name)
                join pg_attribute a on a.attrelid = c.oid and a.attnum = o.num::int2 and not a.attisdropped
                where a.attname <> o.name))
    loop
        execute format($x$
            update %1$s t set table_name = $1, updated_at = now(), embeddable_fields = array(
                select coalesce(a.attname::text, f.name)
                from unnest(t.embeddable_fields) with ordinality f (name, place)
                left join jsonb_each_text($3) o (num, name) on o.name = f.name
                left join pg_attribute a on a.attrelid = $4 and a.attnum = o.num::int2 and not a.attisdropped
                order by f.place)
            where t.table_name = $2$x$, registry)
        using moved.new_name, moved.old_name, moved.old_columns, moved.relation;
    end loop;

    execute format($x$
        delete from %s t where not exists (
            select from pg_class c where c.relnamespace = $1 and c.relname = t.table_name
                and c.relkind in ('r', 'p'))$x$, registry)
    using s.schema_name::regnamespace::oid;

    update tables.relations r set relation = c.oid  -- a table was recreated under its name: recreate does that
    from pg_class c
    where r.schema_id = s.id and c.relnamespace = s.schema_name::regnamespace and c.relname = r.table_name
        and c.relkind in ('r', 'p') and c.oid <> r.relation
        and not exists (select from pg_class old where old.oid = r.relation)
        and not exists (select from tables.relations o where o.schema_id = s.id and o.relation = c.oid);

    delete from tables.relations r
    where r.schema_id = s.id and not exists (
        select from pg_class c
        where c.oid = r.relation and c.relnamespace = s.schema_name::regnamespace and c.relkind in ('r', 'p'));

    execute format($x$
        insert into tables.relations as r
            (space_id, schema_id, relation, table_name, description, columns, key, fields)
        select $1, $2, c.oid, c.relname, t.description, cols.columns, keys.key,
            array(
                select f.name from unnest(t.embeddable_fields) with ordinality f (name, place)
                where exists (select from jsonb_each_text(cols.columns) o (num, name) where o.name = f.name)
                order by f.place)
        from pg_class c
        left join %s t on t.table_name = c.relname
        cross join lateral (
            select coalesce(jsonb_object_agg(a.attnum, a.attname), '{}') as columns
            from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        ) cols
        cross join lateral (
            select array(
                select a.attname::text
                from pg_index i
                cross join lateral unnest(i.indkey::int2[]) with ordinality k (num, place)
                join pg_attribute a on a.attrelid = c.oid and a.attnum = k.num
                where i.indrelid = c.oid and i.indisprimary
                order by k.place) as key
        ) keys
        where c.relnamespace = $3 and c.relkind in ('r', 'p') and pg_get_userbyid(c.relowner) = session_user
        on conflict (space_id, schema_id, relation) do update
        set table_name = excluded.table_name, description = excluded.description, columns = excluded.columns,
            key = excluded.key, fields = excluded.fields
        where (r.table_name, r.description, r.columns, r.key, r.fields) is distinct from
            (excluded.table_name, excluded.description, excluded.columns, excluded.key, excluded.fields)$x$, registry)
    using s.space_id, s.id, s.schema_name::regnamespace::oid;

    execute format($x$
        select md5(coalesce(string_agg(line, chr(10) order by line), '')) from (
            select concat_ws(chr(31), c.relname, c.relkind, a.attnum, a.attname, format_type(a.atttypid, a.atttypmod),
                a.attnotnull, pg_get_expr(d.adbin, d.adrelid), col_description(c.oid, a.attnum),
                obj_description(c.oid, 'pg_class')) as line
            from pg_class c
            left join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
            left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
            where c.relnamespace = $1
            union all
            select concat_ws(chr(31), t.table_name, t.description, t.embeddable_fields::text) from %s t
        ) lines$x$, registry)
    into seen using s.schema_name::regnamespace::oid;
    if seen <> s.fingerprint then
        update tables.schemas t set version = t.version + 1, fingerprint = seen
        where t.space_id = s.space_id and t.id = s.id
        returning t.version into s.version;
    end if;
    return s.version;
end
$_$;

COMMENT ON FUNCTION tables.settle() IS 'Has registry and relations follow the structure of the schema whose writer is logged in; returns its version.';

CREATE FUNCTION tables.take_out_schema() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    gone bigint[];
begin
    if old.space_id = core.current_space() then
        select array_agg(entry_id order by entry_id) into gone
        from tables.embeddings where space_id = old.space_id and schema_id = old.id;
        if gone is not null then
            perform core.take_out(gone), core.recount_space();
        end if;
    end if;
    return old;
end
$$;

CREATE FUNCTION tables.told_rights(acl aclitem[], writer oid, reader oid) RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select coalesce(jsonb_agg(jsonb_build_array(r.who, r.role, r.number, r.privilege, r.passed_on)
        order by r.who, r.role, r.privilege), '[]')
    from (
        select w.who, case when w.who = 'role' then pg_get_userbyid(x.grantee) else '' end as role,
            case when w.who = 'role' then x.grantee::bigint else 0 end as number,
            lower(x.privilege_type) as privilege, bool_or(x.is_grantable) as passed_on
        from aclexplode(case when cardinality(acl) > 0 then acl end) x  -- which refuses an empty one
        cross join lateral (select case x.grantee when 0 then 'public' when writer then 'writer'
            when reader then 'reader' else 'role' end as who) w
        group by 1, 2, 3, 4
    ) r
    $$;

CREATE FUNCTION tables.watch(in_schema integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    SET lock_timeout TO '2s'
    AS $$
begin
    perform tables.find_again(in_schema);
    return tables.watch_found(in_schema);
end
$$;

COMMENT ON FUNCTION tables.watch(in_schema integer) IS 'Has changes of the rows of a schema written down; returns how many tables must be looked at as a whole.';

CREATE FUNCTION tables.watch_found(in_schema integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    SET lock_timeout TO '2s'
    AS $_$
declare
    r record;
    part record;
    here constant integer := core.current_space();
    looked integer := 0;
begin
    for r in
        with seen as (
            select rel.id, rel.relation, rel.watched, rel.fields <> '{}' and rel.key <> '{}' as wanted
            from tables.relations rel
            join pg_class c on c.oid = rel.relation
            where rel.space_id = here and rel.schema_id = in_schema
        )
        select seen.id, seen.relation, seen.watched, seen.wanted
        from seen
        left join tables.watches(array(select relation from seen where wanted order by id),
            array(select id from seen where wanted order by id)) w on w.id = seen.id
        where seen.watched is distinct from w.watched
    loop
        looked := looked + 1;
        begin
            -- The table first, then what is written down of it, as whoever changes the structure has them.
            execute format('lock table %s in share row exclusive mode', r.relation::regclass);
            insert into tables.dirty_rows (space_id, schema_id, relation_id) values (here, in_schema, r.id);
            perform from tables.relations
            where space_id = here and schema_id = in_schema and id = r.id and watched is not distinct from r.watched
            for update;
            continue when not found;  -- somebody else did it meanwhile
            for part in
                with recursive tree as (
                    select r.relation as oid
                    union
                    select i.inhrelid from tree join pg_inherits i on i.inhparent = tree.oid
                )
                select c.oid::regclass as name, array(
                        select t.tgname from pg_trigger t
                        where t.tgrelid = c.oid and t.tgfoid = 'tables.note_rows()'::regprocedure
                            and t.tgname ~ ('^quipu_[a-z]+_' || r.id || '$')) as triggers
                from tree
                join pg_class c on c.oid = tree.oid and c.relkind in ('r', 'p')
            loop
                for i in 1 .. cardinality(part.triggers) loop
                    execute format('drop trigger %I on %s', part.triggers[i], part.name);
                end loop;
                continue when not r.wanted;
                execute format('create trigger quipu_inserted_%s after insert on %s referencing new table as new_rows'
                    ' for each statement execute function tables.note_rows(%s, %s, %s)', r.id, part.name, here, in_schema, r.id);
                execute format('create trigger quipu_updated_%s after update on %s referencing old table as old_rows'
                    ' new table as new_rows'
                    ' for each statement execute function tables.note_rows(%s, %s, %s)', r.id, part.name, here, in_schema, r.id);
                execute format('create trigger quipu_deleted_%s after delete on %s referencing old table as old_rows'
                    ' for each statement execute function tables.note_rows(%s, %s, %s)', r.id, part.name, here, in_schema, r.id);
                execute format('create trigger quipu_truncated_%s after truncate on %s'
                    ' for each statement execute function tables.note_rows(%s, %s, %s)', r.id, part.name, here, in_schema, r.id);
            end loop;
            update tables.relations set watched = case when r.wanted then tables.watch_of(r.relation, r.id) end
            where space_id = here and schema_id = in_schema and id = r.id;
        exception when lock_not_available or deadlock_detected or undefined_table then
            null;  -- somebody is at work there: its rows are not shown until the next time
        end;
    end loop;
    return looked;
end
$_$;

COMMENT ON FUNCTION tables.watch_found(in_schema integer) IS 'Has changes of the rows of a schema written down; returns how many tables must be looked at as a whole.';

CREATE FUNCTION tables.watch_of(relation oid, id integer) RETURNS text
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
    select w.watched from tables.watches(array[$1], array[$2]) w
    $_$;

COMMENT ON FUNCTION tables.watch_of(relation oid, id integer) IS 'Changes whenever rows of the table may have changed unseen.';

CREATE FUNCTION tables.watches(relations oid[], ids integer[]) RETURNS TABLE(id integer, watched text)
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
    with recursive tree as (
        select r.oid, r.id from unnest($1, $2) r (oid, id)
        union
        select i.inhrelid, tree.id from tree join pg_inherits i on i.inhparent = tree.oid
    ), ours as (
        select p.oid from pg_proc p join pg_namespace n on n.oid = p.pronamespace
        where n.nspname = 'tables' and p.proname = 'note_rows'
    ), lines as (
        select tree.id, concat_ws('/', c.oid, pg_relation_filenode(c.oid), t.oid, t.tgname, t.tgenabled, t.xmin,
            case when c.relpersistence = 'u' then pg_postmaster_start_time() end) as line
        from tree
        join pg_class c on c.oid = tree.oid and c.relkind in ('r', 'p')
        left join pg_trigger t on t.tgrelid = c.oid and t.tgfoid = (select oid from ours)
            and split_part(t.tgname, '_', 3) = tree.id::text
        union all  -- what computes a column that is not stored
        select tree.id, concat_ws('/', d.adrelid, d.adnum, d.xmin)
        from tree
        join pg_attribute a on a.attrelid = tree.oid and a.attgenerated <> ''
        join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    )
    select l.id, md5(string_agg(l.line, chr(10) order by l.line)) from lines l group by l.id
    $_$;

COMMENT ON FUNCTION tables.watches(relations oid[], ids integer[]) IS 'Of tables, by their ids: what changes whenever rows of the table may have changed unseen.';

CREATE FUNCTION tables.write_embedding() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET row_security TO 'on'
    AS $$
declare
    s tables.schemas;
    r tables.relations;
begin
    select * into s from tables.schemas where space_id = tg_argv[0]::integer and id = tg_argv[1]::integer;
    select * into r from tables.relations t
    where t.space_id = s.space_id and t.schema_id = s.id and t.table_name = new.source_table;
    if r.id is null or new.source_id is null or new.field_name <> all (r.fields) is not false then
        raise exception '%.% is not embedded', new.source_table, new.field_name
            using errcode = 'check_violation', hint = format(
                'Embeddings are made of rows. Have the field embedded: update schema_registry set'
                ' embeddable_fields = embeddable_fields || ''%s'' where table_name = ''%s''',
                coalesce(new.field_name, 'field'), coalesce(new.source_table, 'table'));
    end if;
    insert into tables.dirty_rows (space_id, schema_id, relation_id, source_id)
    values (s.space_id, s.id, r.id, new.source_id);
    if lower(tg_op) = 'update' and (old.source_table, old.source_id) is distinct from (new.source_table, new.source_id) then
        insert into tables.dirty_rows (space_id, schema_id, relation_id, source_id)
        select s.space_id, s.id, t.id, old.source_id from tables.relations t
        where t.space_id = s.space_id and t.schema_id = s.id and t.table_name = old.source_table;
    end if;
    return new;
end
$$;

COMMENT ON FUNCTION tables.write_embedding() IS 'Has the index look at the row that an embedding was written for.';

CREATE TABLE transcripts.lines (
    space_id integer DEFAULT core.entered() NOT NULL,
    id bigint NOT NULL,
    session_id bigint NOT NULL,
    uuid text NOT NULL,
    parent_uuid text,
    logical_parent_uuid text,
    type text NOT NULL,
    subtype text,
    model text,
    response_id text,
    happened_at timestamp with time zone NOT NULL,
    message_id bigint,
    content_text text,
    thinking text,
    blocks jsonb,
    cwd text,
    git_branch text,
    is_meta boolean DEFAULT false NOT NULL,
    is_sidechain boolean DEFAULT false NOT NULL,
    is_compact_summary boolean DEFAULT false NOT NULL,
    is_noise boolean DEFAULT false NOT NULL,
    is_prompt boolean DEFAULT false NOT NULL,
    CONSTRAINT lines_uuid_check CHECK (((char_length(uuid) >= 1) AND (char_length(uuid) <= 512)))
);
ALTER TABLE ONLY transcripts.lines ALTER COLUMN content_text SET COMPRESSION lz4;
ALTER TABLE ONLY transcripts.lines ALTER COLUMN thinking SET COMPRESSION lz4;
ALTER TABLE ONLY transcripts.lines ALTER COLUMN blocks SET COMPRESSION lz4;

ALTER TABLE ONLY transcripts.lines FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN transcripts.lines.content_text IS 'Of a line that nobody said (noise, meta, summary, system); what was said is in core.messages.';

COMMENT ON COLUMN transcripts.lines.blocks IS 'Blocks that have no column (images without their data, documents), or the raw line of an unknown type.';

COMMENT ON COLUMN transcripts.lines.is_prompt IS 'A person asked: it begins a turn.';

CREATE FUNCTION transcripts.about(space integer, line bigint) RETURNS jsonb
    LANGUAGE sql STABLE
    BEGIN ATOMIC
 SELECT (jsonb_strip_nulls(jsonb_build_object('model', l.model, 'branch', l.git_branch, 'directory', l.cwd, 'sidechain', l.is_sidechain)) || COALESCE(m.metadata, '{}'::jsonb))
    FROM (transcripts.lines l
      LEFT JOIN core.messages m ON (((m.space_id = l.space_id) AND (m.id = l.message_id))))
   WHERE ((l.space_id = about.space) AND (l.id = about.line));
END;

COMMENT ON FUNCTION transcripts.about(space integer, line bigint) IS 'What filters ask of a line: how it was recorded, and the metadata of its message.';

CREATE FUNCTION transcripts.discard_reader() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    insert into transcripts.discarded_readers (role) values (old.role) on conflict do nothing;
    return null;
end
$$;

CREATE FUNCTION transcripts.follow_extraction() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
declare
    touched constant transcripts.extractions := case lower(tg_op) when 'delete' then old else new end;
    last constant transcripts.extractions := transcripts.last_extraction(touched.space_id, touched.session_id);
begin
    update transcripts.session_details set last_extractor = last.extractor,
        extracted = transcripts.is_extracted(touched.space_id, touched.session_id),
        extraction_attempted_at = last.attempted_at
    where space_id = touched.space_id and session_id = touched.session_id;
    return null;
end
$$;

CREATE FUNCTION transcripts.follow_relation() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
    if false or new.made_by in ('person', 'source') or old.made_by in ('person', 'source') then
        perform transcripts.settle_validity(array(
            select distinct memory_id from transcripts.memory_sources
            where space_id = core.current_space() and message_id = coalesce(new.older, old.older)));
    end if;
    return null;
end
$$;

CREATE FUNCTION transcripts.follow_sources() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
    here constant integer := core.current_space();
    source constant transcripts.memory_sources := coalesce(new, old);
begin
    if exists (select from core.relations
                where space_id = here and (older = source.message_id or false and newer = source.message_id))
        or exists (select from transcripts.memories
                where space_id = here and id = source.memory_id and valid_until is not null) then
        perform transcripts.settle_validity(array(
            select source.memory_id
            union
            select s.memory_id from core.relations r
            join transcripts.memory_sources s on s.space_id = r.space_id and s.message_id = r.older
            where false and r.space_id = here and r.newer = source.message_id));
    end if;
    return null;
end
$$;

CREATE FUNCTION transcripts.go_with_their_line() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
    if exists (select from gone) then
        delete from transcripts.responses r using gone where r.space_id = gone.space_id and r.line_id = gone.id;
        delete from transcripts.tool_calls c using gone where c.space_id = gone.space_id and c.line_id = gone.id;
        delete from transcripts.tool_results r using gone where r.space_id = gone.space_id and r.line_id = gone.id;
    end if;
    return null;
end
$$;

CREATE FUNCTION transcripts.have_their_line() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
declare
    lost bigint;
begin
    select a.line_id into lost from added a
    where not exists (
        select from transcripts.lines l where l.space_id = a.space_id and l.id = a.line_id for key share
    )
    limit 1;
    if found then
        raise foreign_key_violation using
            message = format('transcripts.%s: there is no line %s in the space', tg_table_name, lost);
    end if;
    return null;
end
$$;

CREATE FUNCTION transcripts.input_text(input jsonb) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (SELECT string_agg((v.one #>> '{}'::text[]), '
'::text) AS string_agg FROM jsonb_path_query(input_text.input, 'strict $.**'::jsonpath) v(one) WHERE (jsonb_typeof(v.one) = ANY (ARRAY['string'::text, 'number'::text])));

COMMENT ON FUNCTION transcripts.input_text(input jsonb) IS 'The values of what a tool was given, one a line, without their names.';

CREATE TABLE transcripts.extractions (
    space_id integer DEFAULT core.entered() NOT NULL,
    session_id bigint NOT NULL,
    extractor text NOT NULL,
    version integer NOT NULL,
    status text NOT NULL,
    error text,
    memories integer DEFAULT 0 NOT NULL,
    attempted_at timestamp with time zone NOT NULL,
    extracted boolean DEFAULT false NOT NULL,
    CONSTRAINT extractions_memories_check CHECK ((memories >= 0)),
    CONSTRAINT extractions_status_check CHECK ((status = ANY (ARRAY['none'::text, 'done'::text, 'partial'::text, 'failed'::text]))),
    CONSTRAINT extractions_version_check CHECK ((version > 0))
);

ALTER TABLE ONLY transcripts.extractions FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN transcripts.extractions.extracted IS 'It was read to the end once; status says how the last attempt went.';

CREATE FUNCTION transcripts.is_extracted(space integer, session bigint) RETURNS boolean
    LANGUAGE sql STABLE
    RETURN (EXISTS (SELECT FROM transcripts.extractions x WHERE ((x.space_id = is_extracted.space) AND (x.session_id = is_extracted.session) AND x.extracted)));

CREATE FUNCTION transcripts.keep_edit() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
    insert into transcripts.memory_edits (space_id, memory_id, fact, category)
    values (old.space_id, old.id, old.fact, old.category);
    new.normal_form := null;
    new.edited_at := now();
    return new;
end
$$;

CREATE FUNCTION transcripts.last_extraction(space integer, session bigint) RETURNS transcripts.extractions
    LANGUAGE sql STABLE
    RETURN (SELECT x.*::transcripts.extractions AS x FROM transcripts.extractions x WHERE ((x.space_id = last_extraction.space) AND (x.session_id = last_extraction.session)) ORDER BY x.attempted_at DESC, x.extractor LIMIT 1);

CREATE FUNCTION transcripts.lines_go_with_their_session() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
    delete from transcripts.lines l using gone where l.space_id = gone.space_id and l.session_id = gone.id;
    return null;
end
$$;

CREATE FUNCTION transcripts.lines_have_their_session() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
declare
    lost bigint;
begin
    with given as (
        select distinct space_id, session_id from added
    ), held as (
        select s.space_id, s.id from core.sessions s
        where (s.space_id, s.id) in (select space_id, session_id from given)
        for key share
    )
    select g.session_id into lost from given g
    where not exists (select from held h where h.space_id = g.space_id and h.id = g.session_id)
    limit 1;
    if found then
        raise foreign_key_violation using
            message = format('transcripts.lines: there is no session %s in the space', lost);
    end if;
    return null;
end
$$;

CREATE FUNCTION transcripts.lines_stay_in_their_session() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
    raise foreign_key_violation using message = 'transcripts.lines: a line stays in its session';
end
$$;

CREATE FUNCTION transcripts.make_reader(login text, secret text, plain_password text) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
    gone text;
begin
    for gone in select role from transcripts.discarded_readers for update skip locked loop
        execute format('drop role if exists %I', gone);
        delete from transcripts.discarded_readers where role = gone;
    end loop;
    if not exists (select from pg_catalog.pg_roles where rolname = login) then
        execute format('create role %I login inherit nocreatedb nocreaterole connection limit 4', login);
        if current_setting('server_version_num')::integer >= 160000 then
            execute format('grant quipu_see to %I with inherit true, set false', login);
        else
            execute format('grant quipu_see to %I', login);
        end if;
    end if;
    execute format('alter role %I password %L', login, secret);
    set local role quipu_owner;
    insert into transcripts.readers as r (role, password) values (login, plain_password)
    on conflict (space_id) do update set role = excluded.role, password = excluded.password;
    reset role;
end
$$;

COMMENT ON FUNCTION transcripts.make_reader(login text, secret text, plain_password text) IS 'Gives the space that was entered its login for readers with that password, made where it is missing.';

CREATE FUNCTION transcripts.mark_session() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
declare
    said constant text := case when new.memories_extracted = 1 then 'done' else 'none' end;
    at constant timestamptz := coalesce(new.extraction_attempted_at, now());
begin
    insert into transcripts.extractions (space_id, session_id, extractor, version, status, attempted_at)
    values (old.space_id, old.session_number, 'manual', 1, said, at)
    on conflict do nothing;
    update transcripts.extractions set status = said, attempted_at = at, error = null
    where space_id = old.space_id and session_id = old.session_number;
    return new;
end
$$;

CREATE TABLE transcripts.texts (
    space_id integer DEFAULT core.entered() NOT NULL,
    line_id bigint NOT NULL,
    part text NOT NULL,
    call_id text DEFAULT ''::text NOT NULL,
    session_id bigint NOT NULL,
    role text NOT NULL,
    tool_name text,
    is_error boolean DEFAULT false NOT NULL,
    happened_at timestamp with time zone NOT NULL,
    words integer NOT NULL,
    weight real NOT NULL,
    terms tsvector NOT NULL,
    CONSTRAINT texts_part_check CHECK ((part = ANY (ARRAY['said'::text, 'thinking'::text, 'input'::text, 'result'::text]))),
    CONSTRAINT texts_role_check CHECK ((role = ANY (ARRAY['user'::text, 'assistant'::text, 'system'::text, 'tool'::text]))),
    CONSTRAINT texts_words_check CHECK ((words >= 0))
)
WITH (autovacuum_vacuum_insert_scale_factor='0.05');

ALTER TABLE ONLY transcripts.texts FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE transcripts.texts IS 'The text index: made after the lines, in batches; see transcripts.indexing.';

COMMENT ON COLUMN transcripts.texts.call_id IS 'The tool call of an input or a result; empty for what was said or thought.';

COMMENT ON COLUMN transcripts.texts.weight IS 'What one occurrence of a word in it counts: by where it stands and how long it is.';

COMMENT ON COLUMN transcripts.texts.terms IS 'Its words without positions, each with the number of the space in front.';

CREATE FUNCTION transcripts.matching(asked tsquery, parts text[], sessions bigint[], roles text[], tools text[], errors boolean, since timestamp with time zone, until timestamp with time zone, filter jsonpath, sorted text, most integer) RETURNS TABLE(line_id bigint, part text, call_id text, session_id bigint, role text, tool_name text, is_error boolean, happened_at timestamp with time zone, words integer, found bigint)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT t.line_id,
     t.part,
     t.call_id,
     t.session_id,
     t.role,
     t.tool_name,
     t.is_error,
     t.happened_at,
     t.words,
     count(*) OVER () AS found
    FROM transcripts.texts t
   WHERE ((t.space_id = core.current_space()) AND (t.terms @@ matching.asked) AND ((matching.parts IS NULL) OR (t.part = ANY (matching.parts))) AND ((matching.sessions IS NULL) OR (t.session_id = ANY (matching.sessions))) AND ((matching.roles IS NULL) OR (t.role = ANY (matching.roles))) AND ((matching.tools IS NULL) OR (t.tool_name = ANY (matching.tools))) AND ((NOT matching.errors) OR t.is_error) AND ((matching.since IS NULL) OR (t.happened_at >= matching.since)) AND ((matching.until IS NULL) OR (t.happened_at < matching.until)) AND ((matching.filter IS NULL) OR (transcripts.about(t.space_id, t.line_id) @@ matching.filter)))
   ORDER BY
         CASE
             WHEN (matching.sorted = 'relevance'::text) THEN t.weight
             ELSE NULL::real
         END DESC,
         CASE
             WHEN (matching.sorted <> 'time-asc'::text) THEN t.happened_at
             ELSE NULL::timestamp with time zone
         END DESC,
         CASE
             WHEN (matching.sorted = 'time-asc'::text) THEN t.happened_at
             ELSE NULL::timestamp with time zone
         END, t.line_id DESC, t.part
  LIMIT matching.most;
END;

COMMENT ON FUNCTION transcripts.matching(asked tsquery, parts text[], sessions bigint[], roles text[], tools text[], errors boolean, since timestamp with time zone, until timestamp with time zone, filter jsonpath, sorted text, most integer) IS 'Texts of the space that was entered that have the words, the best or the latest first.';

CREATE FUNCTION transcripts.note_extracted() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
    new.extracted := case
        when new.status = 'none' then false
        when new.status = 'failed' or new.error is not null then lower(tg_op) = 'update' and old.extracted
        else true end;
    return new;
end
$$;

CREATE FUNCTION transcripts.place_memory() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
    new.happened_at := coalesce(new.created_at, now());
    new.project_path := coalesce(nullif(new.project_path, ''), (
        select d.project_path from core.sessions s
        join transcripts.session_details d on d.space_id = s.space_id and d.session_id = s.id
        where s.space_id = new.space_id and s.name = new.session_id), '');
    return new;
end
$$;

CREATE TABLE transcripts.readers (
    space_id integer DEFAULT core.entered() NOT NULL,
    role text NOT NULL,
    password text NOT NULL
);

ALTER TABLE ONLY transcripts.readers FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE transcripts.readers IS 'The login of each space for SQL of readers. Only quipu_owner reads it.';

CREATE FUNCTION transcripts.reader_space() RETURNS integer
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT r.space_id
    FROM transcripts.readers r
   WHERE (r.role = SESSION_USER);
END;

COMMENT ON FUNCTION transcripts.reader_space() IS 'The space that whoever is logged in reads, or null.';

CREATE FUNCTION transcripts.reindex() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
declare
    line constant bigint := case tg_table_name when 'lines' then (to_jsonb(new) ->> 'id')::bigint
                                else (to_jsonb(new) ->> 'line_id')::bigint end;
begin
    delete from transcripts.texts where space_id = new.space_id and line_id = line;
    insert into transcripts.unindexed (space_id, line_id) values (new.space_id, line) on conflict do nothing;
    return null;
end
$$;

CREATE FUNCTION transcripts.settle_validity(ids uuid[]) RETURNS void
    LANGUAGE sql
    AS $$
update transcripts.memories m
set valid_until = least(m.told_until, v.ended)
from unnest(ids) as t (id)
cross join lateral (
    select min(n.happened_at) as ended
    from transcripts.memories x
    cross join lateral (
        select s.message_id from transcripts.memory_sources s where s.space_id = x.space_id and s.memory_id = x.id and true
    ) o
    join core.relations r on r.space_id = x.space_id and r.older = o.message_id
        and r.removed_at is null and (r.made_by in ('person', 'source') or false)
    join core.messages n on n.space_id = r.space_id and n.id = r.newer
    where x.space_id = core.current_space() and x.id = t.id
        and not exists (
            select from transcripts.memory_sources s
            join core.messages l on l.space_id = s.space_id and l.id = s.message_id
            where s.space_id = x.space_id and s.memory_id = x.id and true and l.happened_at >= n.happened_at)
) v
where m.space_id = core.current_space() and m.id = t.id and m.valid_until is distinct from least(m.told_until, v.ended)
$$;

CREATE FUNCTION transcripts.stay_with_their_line() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
    raise foreign_key_violation using
        message = format('transcripts.%s: what is of a line stays with it', tg_table_name);
end
$$;

CREATE FUNCTION transcripts.take_extraction() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
declare
    last constant transcripts.extractions := transcripts.last_extraction(new.space_id, new.session_id);
begin
    new.last_extractor := last.extractor;
    new.extracted := transcripts.is_extracted(new.space_id, new.session_id);
    new.extraction_attempted_at := last.attempted_at;
    return new;
end
$$;

CREATE TABLE transcripts.tool_calls (
    space_id integer DEFAULT core.entered() NOT NULL,
    id text NOT NULL,
    line_id bigint NOT NULL,
    session_id bigint NOT NULL,
    tool_name text NOT NULL,
    tool_input jsonb DEFAULT '{}'::jsonb NOT NULL,
    path text,
    happened_at timestamp with time zone NOT NULL
);
ALTER TABLE ONLY transcripts.tool_calls ALTER COLUMN tool_input SET COMPRESSION lz4;

ALTER TABLE ONLY transcripts.tool_calls FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE transcripts.tool_calls IS 'A call has the id that the model gave it, once in each session that holds it.';

COMMENT ON COLUMN transcripts.tool_calls.path IS 'The file that it was about, where its input names one.';

CREATE TABLE transcripts.tool_results (
    space_id integer DEFAULT core.entered() NOT NULL,
    tool_call_id text NOT NULL,
    line_id bigint NOT NULL,
    session_id bigint NOT NULL,
    content text NOT NULL,
    is_error boolean DEFAULT false NOT NULL,
    spilled_from text,
    agent_session text,
    compacted_bytes bigint,
    compacted_at timestamp with time zone,
    happened_at timestamp with time zone NOT NULL,
    CONSTRAINT tool_results_compacted_bytes_check CHECK ((compacted_bytes >= 0))
);
ALTER TABLE ONLY transcripts.tool_results ALTER COLUMN content SET COMPRESSION lz4;

ALTER TABLE ONLY transcripts.tool_results FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN transcripts.tool_results.spilled_from IS 'The file beside the transcript that had the output, where it was too long for the line.';

COMMENT ON COLUMN transcripts.tool_results.agent_session IS 'The session of the subagent that the call began.';

COMMENT ON COLUMN transcripts.tool_results.compacted_bytes IS 'How long it was before it was replaced by a marker.';

CREATE FUNCTION transcripts.texts_of(space integer, line bigint) RETURNS TABLE(line_id bigint, part text, call_id text, session_id bigint, role text, tool_name text, is_error boolean, happened_at timestamp with time zone, content text)
    LANGUAGE sql STABLE
    BEGIN ATOMIC
 SELECT l.id,
     'said'::text,
     ''::text,
     l.session_id,
         CASE
             WHEN (l.is_meta OR l.is_noise OR l.is_compact_summary) THEN 'system'::text
             WHEN (l.type = ANY (ARRAY['user'::text, 'assistant'::text])) THEN l.type
             ELSE 'system'::text
         END AS "case",
     NULL::text AS text,
     false,
     l.happened_at,
     COALESCE(m.content, l.content_text) AS "coalesce"
    FROM (transcripts.lines l
      LEFT JOIN core.messages m ON (((m.space_id = texts_of.space) AND (m.id = l.message_id))))
   WHERE ((l.space_id = texts_of.space) AND (l.id = texts_of.line) AND ((l.message_id IS NOT NULL) OR (l.content_text IS NOT NULL)))
 UNION ALL
  SELECT l.id,
     'thinking'::text,
     ''::text,
     l.session_id,
     'assistant'::text,
     NULL::text,
     false,
     l.happened_at,
     l.thinking
    FROM transcripts.lines l
   WHERE ((l.space_id = texts_of.space) AND (l.id = texts_of.line) AND (l.thinking IS NOT NULL))
 UNION ALL
  SELECT c.line_id,
     'input'::text,
     c.id,
     c.session_id,
     'assistant'::text,
     c.tool_name,
     false,
     c.happened_at,
     transcripts.input_text(c.tool_input) AS input_text
    FROM transcripts.tool_calls c
   WHERE ((c.space_id = texts_of.space) AND (c.line_id = texts_of.line))
 UNION ALL
  SELECT r.line_id,
     'result'::text,
     r.tool_call_id,
     r.session_id,
     'tool'::text,
     c.tool_name,
     r.is_error,
     r.happened_at,
     r.content
    FROM (transcripts.tool_results r
      LEFT JOIN transcripts.tool_calls c ON (((c.space_id = texts_of.space) AND (c.session_id = r.session_id) AND (c.id = r.tool_call_id))))
   WHERE ((r.space_id = texts_of.space) AND (r.line_id = texts_of.line));
END;

COMMENT ON FUNCTION transcripts.texts_of(space integer, line bigint) IS 'Every text of a line that can be searched, as it is now.';

CREATE TABLE core.aliases (
    space_id integer DEFAULT core.current_space() NOT NULL,
    alias text NOT NULL,
    name text NOT NULL,
    made_by text NOT NULL,
    message_id bigint,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT aliases_alias_check CHECK (((char_length(alias) >= 1) AND (char_length(alias) <= 200))),
    CONSTRAINT aliases_check CHECK (((made_by = 'rule'::text) = (message_id IS NOT NULL))),
    CONSTRAINT aliases_made_by_check CHECK ((made_by = ANY (ARRAY['rule'::text, 'person'::text]))),
    CONSTRAINT aliases_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 200)))
);

ALTER TABLE ONLY core.aliases FORCE ROW LEVEL SECURITY;

ALTER TABLE core.at_commit ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME core.at_commit_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE core.carried_receipts (
    space_id integer NOT NULL,
    id uuid NOT NULL,
    erased_at timestamp with time zone NOT NULL,
    counts jsonb NOT NULL,
    document jsonb NOT NULL,
    signature bytea NOT NULL,
    public_key bytea NOT NULL,
    CONSTRAINT carried_receipts_counts_check CHECK ((jsonb_typeof(counts) = 'object'::text)),
    CONSTRAINT carried_receipts_document_check CHECK ((jsonb_typeof(document) = 'object'::text)),
    CONSTRAINT carried_receipts_public_key_check CHECK ((octet_length(public_key) = 32)),
    CONSTRAINT carried_receipts_signature_check CHECK ((octet_length(signature) = 64))
);

ALTER TABLE ONLY core.carried_receipts FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE core.carried_receipts IS 'Receipts of other databases, as an archive brought them.';

COMMENT ON COLUMN core.carried_receipts.public_key IS 'What verifies the signature: the key of the database that signed.';

CREATE TABLE core.corrections (
    space_id integer DEFAULT core.current_space() NOT NULL,
    kind text NOT NULL,
    memory_id uuid NOT NULL,
    message_id bigint NOT NULL,
    marked uuid NOT NULL,
    text text NOT NULL,
    rule text NOT NULL,
    reader text DEFAULT ''::text NOT NULL,
    reason text,
    was_live boolean DEFAULT true NOT NULL,
    corrected_by text DEFAULT core.current_person(),
    corrected_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT corrections_corrected_by_check CHECK ((char_length(corrected_by) <= 512)),
    CONSTRAINT corrections_kind_check CHECK ((kind = ANY (ARRAY['longterm'::text, 'belief'::text, 'loop'::text, 'lesson'::text, 'rule'::text]))),
    CONSTRAINT corrections_reader_check CHECK ((char_length(reader) <= 512)),
    CONSTRAINT corrections_reason_check CHECK (((char_length(reason) >= 1) AND (char_length(reason) <= 2000))),
    CONSTRAINT corrections_rule_check CHECK (((char_length(rule) >= 1) AND (char_length(rule) <= 512))),
    CONSTRAINT corrections_text_check CHECK (((char_length(text) >= 1) AND (char_length(text) <= 20000)))
);

ALTER TABLE ONLY core.corrections FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN core.corrections.memory_id IS 'The statement, a row of the table of its kind; it may be gone.';

COMMENT ON COLUMN core.corrections.marked IS 'The statement that was marked; what claims the same went with it.';

COMMENT ON COLUMN core.corrections.text IS 'The statement as it read.';

COMMENT ON COLUMN core.corrections.rule IS 'The rule that made it: a family, the key of a belief, the kind of a loop, the category of a lesson.';

COMMENT ON COLUMN core.corrections.reader IS 'The evaluator or extractor with its version; empty where it is not known.';

COMMENT ON COLUMN core.corrections.was_live IS 'The correction took it out of recall: it comes back where that is taken back.';

COMMENT ON COLUMN core.corrections.corrected_by IS 'Whose key it was; null: that of everybody.';

CREATE TABLE core.databases (
    number integer NOT NULL,
    name text NOT NULL,
    url text NOT NULL,
    identity text NOT NULL,
    draining boolean DEFAULT false NOT NULL,
    added_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT databases_name_check CHECK ((name ~ '^[a-z][a-z0-9-]{0,62}$'::text)),
    CONSTRAINT databases_number_check CHECK (((number >= 1) AND (number <= 511))),
    CONSTRAINT databases_url_check CHECK (((char_length(url) >= 1) AND (char_length(url) <= 4096)))
);

COMMENT ON TABLE core.databases IS 'Of no space: the databases of this directory.';

COMMENT ON COLUMN core.databases.number IS 'Which numbers it gives to its spaces: those from here times 4194304 on.';

COMMENT ON COLUMN core.databases.url IS 'Its address; the owner of the directory alone can read it.';

COMMENT ON COLUMN core.databases.identity IS 'What tells it from all others, by whatever address it is reached.';

COMMENT ON COLUMN core.databases.draining IS 'It is given no new spaces.';

ALTER TABLE core.databases ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME core.databases_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE core.erasure_chain (
    id boolean DEFAULT true NOT NULL,
    names_key bytea NOT NULL,
    signing_key bytea,
    public_key bytea,
    number bigint DEFAULT 0 NOT NULL,
    digest bytea DEFAULT decode(repeat('00'::text, 32), 'hex'::text) NOT NULL,
    CONSTRAINT erasure_chain_check CHECK (((signing_key IS NULL) = (public_key IS NULL))),
    CONSTRAINT erasure_chain_digest_check CHECK ((octet_length(digest) = 32)),
    CONSTRAINT erasure_chain_id_check CHECK (id),
    CONSTRAINT erasure_chain_names_key_check CHECK ((octet_length(names_key) = 32)),
    CONSTRAINT erasure_chain_public_key_check CHECK ((octet_length(public_key) = 32)),
    CONSTRAINT erasure_chain_signing_key_check CHECK ((octet_length(signing_key) = 32))
);

COMMENT ON TABLE core.erasure_chain IS 'Of no space: the keys of receipts, and the end of the chain of all of them. The application has functions for it, no right.';

COMMENT ON COLUMN core.erasure_chain.names_key IS 'Hashes names, so that a name cannot be guessed from its hash without it.';

COMMENT ON COLUMN core.erasure_chain.signing_key IS 'Ed25519, made when the first receipt is signed.';

CREATE TABLE core.erasures (
    space_id integer NOT NULL,
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    session_hash text,
    user_hash text,
    message_hash text,
    counts jsonb NOT NULL,
    erased_at timestamp with time zone NOT NULL,
    name_hashes text[] DEFAULT '{}'::text[] NOT NULL,
    number bigint,
    space_number bigint,
    document jsonb,
    signature bytea,
    of_receipt uuid,
    space_hash text,
    CONSTRAINT erasures_check CHECK ((num_nulls(number, space_number, document, signature) = ANY (ARRAY[0, 4]))),
    CONSTRAINT erasures_signature_check CHECK ((octet_length(signature) = 64))
);

ALTER TABLE ONLY core.erasures FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE core.erasures IS 'No reference to core.spaces: the proof outlives a space that was erased whole.';

COMMENT ON COLUMN core.erasures.user_hash IS 'SHA-256 of a key of the database and the SHA-256 of space and name: a restored snapshot is checked against it.';

COMMENT ON COLUMN core.erasures.name_hashes IS 'The same of other names that were erased wherever they stood.';

COMMENT ON COLUMN core.erasures.document IS 'What is signed; null before receipts were.';

COMMENT ON COLUMN core.erasures.of_receipt IS 'Of a note on what is left on the disk: the receipt that it is about.';

COMMENT ON COLUMN core.erasures.space_hash IS 'Of a space that was forgotten whole: SHA-256 of a key of the database and the SHA-256 of its name and an empty name.';

CREATE TABLE core.exports (
    space_id integer NOT NULL,
    id uuid NOT NULL,
    kind text NOT NULL,
    sha256 text NOT NULL,
    bytes bigint NOT NULL,
    written_at timestamp with time zone NOT NULL,
    CONSTRAINT exports_bytes_check CHECK ((bytes >= 0)),
    CONSTRAINT exports_kind_check CHECK ((kind = ANY (ARRAY['tables'::text, 'longterm'::text, 'transcripts'::text, 'archive'::text]))),
    CONSTRAINT exports_sha256_check CHECK ((sha256 ~ '^[0-9a-f]{64}$'::text))
);

ALTER TABLE ONLY core.exports FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE core.exports IS 'No reference to core.spaces: a file that was handed out outlives a space that was erased whole.';

COMMENT ON COLUMN core.exports.sha256 IS 'Of the file as it was written, by which it is recognised under another name.';

CREATE TABLE core.imports (
    space_id integer DEFAULT core.current_space() NOT NULL,
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    source text NOT NULL,
    version text,
    label text NOT NULL,
    sha256 text NOT NULL,
    begun_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone,
    told jsonb DEFAULT '{}'::jsonb NOT NULL,
    CONSTRAINT imports_label_check CHECK (((char_length(label) >= 1) AND (char_length(label) <= 512))),
    CONSTRAINT imports_sha256_check CHECK ((sha256 ~ '^[0-9a-f]{64}$'::text)),
    CONSTRAINT imports_source_check CHECK ((source ~ '^[a-z][a-z0-9-]{0,63}$'::text)),
    CONSTRAINT imports_told_check CHECK ((jsonb_typeof(told) = 'object'::text)),
    CONSTRAINT imports_version_check CHECK (((char_length(version) >= 1) AND (char_length(version) <= 200)))
);

ALTER TABLE ONLY core.imports FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN core.imports.source IS 'The system that it was brought from; version is its own, or that of its format.';

COMMENT ON COLUMN core.imports.label IS 'The name of the file, folder or server.';

COMMENT ON COLUMN core.imports.sha256 IS 'The digest of what was read: one that was cut off is gone on with.';

COMMENT ON COLUMN core.imports.ended_at IS 'When all of it was there; null: it was cut off.';

COMMENT ON COLUMN core.imports.told IS 'What was not taken, and what was taken for granted.';

CREATE TABLE core.kept_answers (
    space_id integer DEFAULT core.current_space() NOT NULL,
    caller text NOT NULL,
    key_sha256 bytea NOT NULL,
    request_sha256 bytea NOT NULL,
    begun_at timestamp with time zone NOT NULL,
    status integer,
    headers jsonb,
    body bytea,
    CONSTRAINT kept_answers_caller_check CHECK (((char_length(caller) >= 1) AND (char_length(caller) <= 64))),
    CONSTRAINT kept_answers_key_sha256_check CHECK ((octet_length(key_sha256) = 32)),
    CONSTRAINT kept_answers_request_sha256_check CHECK ((octet_length(request_sha256) = 32)),
    CONSTRAINT kept_answers_status_check CHECK (((status >= 200) AND (status <= 299)))
);

ALTER TABLE ONLY core.kept_answers FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE core.kept_answers IS 'For a day; a repeated request gets the same answer. Any erasure in the space takes all of them.';

COMMENT ON COLUMN core.kept_answers.key_sha256 IS 'SHA-256 of the Idempotency-Key in UTF-8.';

COMMENT ON COLUMN core.kept_answers.status IS 'Null while the request is being done.';

CREATE TABLE core.language_budget (
    day date NOT NULL,
    purpose text NOT NULL,
    requests bigint DEFAULT 0 NOT NULL,
    tokens bigint DEFAULT 0 NOT NULL,
    CONSTRAINT language_budget_purpose_check CHECK ((purpose ~ '^[a-z][a-z0-9_.]{0,63}$'::text)),
    CONSTRAINT language_budget_requests_check CHECK ((requests >= 0)),
    CONSTRAINT language_budget_tokens_check CHECK ((tokens >= 0))
);

COMMENT ON TABLE core.language_budget IS 'Tokens by UTC day and purpose; a request counts with all it may cost until it is known what it did cost.';

CREATE VIEW core.sessions_beside_person WITH (security_invoker='true') AS
 SELECT space_id,
    id,
    name,
    messages,
    started_at,
    last_at,
    created_at,
    uid,
    distinct_id,
    belongs_to,
    verbatim
   FROM core.sessions s
  WHERE ((belongs_to = core.current_person()) OR (id IN ( SELECT m.session_id
           FROM core.messages m
          WHERE ((m.space_id = s.space_id) AND (m.user_name = core.current_person())))) OR (uid IN ( SELECT e.session_id
           FROM ledger.chat_memory_events e
          WHERE ((e.space_id = s.space_id) AND (e.distinct_id = core.current_person())))));

COMMENT ON VIEW core.sessions_beside_person IS 'Sessions in which the person of this transaction took part, as they are.';

CREATE VIEW core.messages_beside_person WITH (security_invoker='true') AS
 SELECT space_id,
    id,
    session_id,
    external_id,
    role,
    speaker,
    user_name,
    happened_at,
    recorded_at,
    redacted,
    content,
    item,
    metadata,
    agent_id,
    app_id,
    run_id
   FROM core.messages m
  WHERE ((user_name = core.current_person()) OR (session_id IN ( SELECT s.id
           FROM core.sessions_beside_person s
          WHERE (s.space_id = m.space_id))));

COMMENT ON VIEW core.messages_beside_person IS 'Messages of the person of this transaction, and those beside them.';

CREATE TABLE core.migrations (
    room text NOT NULL,
    version text NOT NULL,
    sha256 text NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE core.moved_spaces (
    space text NOT NULL,
    database text NOT NULL,
    moved_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT moved_spaces_space_check CHECK (((char_length(space) >= 1) AND (char_length(space) <= 512)))
);

COMMENT ON TABLE core.moved_spaces IS 'Of no space: spaces that were here, and the name of the database where they went.';

CREATE TABLE core.origins (
    space_id integer DEFAULT core.current_space() NOT NULL,
    id bigint NOT NULL,
    import_id uuid NOT NULL,
    source text NOT NULL,
    kind text NOT NULL,
    source_id text NOT NULL,
    message_id bigint,
    target_id uuid,
    digest bytea NOT NULL,
    raw jsonb,
    CONSTRAINT origins_check CHECK (((kind = 'message'::text) = (message_id IS NOT NULL))),
    CONSTRAINT origins_check1 CHECK (((kind = 'message'::text) = (target_id IS NULL))),
    CONSTRAINT origins_digest_check CHECK ((octet_length(digest) = 16)),
    CONSTRAINT origins_kind_check CHECK ((kind = ANY (ARRAY['message'::text, 'memory'::text, 'lesson'::text, 'document'::text, 'loop'::text]))),
    CONSTRAINT origins_source_id_check CHECK (((char_length(source_id) >= 1) AND (char_length(source_id) <= 2100)))
);

ALTER TABLE ONLY core.origins FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE core.origins IS 'What a record was in the system that it was brought from. It goes with the record.';

COMMENT ON COLUMN core.origins.source_id IS 'Its id there; of a message that of its session, a slash, and its own.';

COMMENT ON COLUMN core.origins.digest IS 'Of what it became: another one means that the source changed it since.';

COMMENT ON COLUMN core.origins.raw IS 'The record as the source had it, without secrets; null where it was too large.';

ALTER TABLE core.origins ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME core.origins_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE core.outbox (
    space_id integer DEFAULT core.current_space() NOT NULL,
    id bigint NOT NULL,
    topic text NOT NULL,
    key text NOT NULL,
    payload jsonb DEFAULT '{}'::jsonb NOT NULL,
    session text,
    user_name text,
    version integer DEFAULT 1 NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    due_at timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    sent_at timestamp with time zone,
    started_at timestamp with time zone,
    dead_at timestamp with time zone,
    error text,
    CONSTRAINT outbox_attempts_check CHECK ((attempts >= 0)),
    CONSTRAINT outbox_key_check CHECK (((char_length(key) >= 1) AND (char_length(key) <= 512))),
    CONSTRAINT outbox_topic_check CHECK (((char_length(topic) >= 1) AND (char_length(topic) <= 50)))
)
WITH (fillfactor='70', autovacuum_vacuum_scale_factor='0.01', autovacuum_vacuum_threshold='1000');

ALTER TABLE ONLY core.outbox FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE core.outbox IS 'Jobs to be done. A row goes in the transaction that has the effect of its job.';

COMMENT ON COLUMN core.outbox.session IS 'Whose words the payload holds, if it holds any: goes with the session that is erased.';

COMMENT ON COLUMN core.outbox.version IS 'Counts how often the job was put; who did an older one does it again.';

COMMENT ON COLUMN core.outbox.sent_at IS 'When it was handed to the queue; null: it waits for that.';

COMMENT ON COLUMN core.outbox.dead_at IS 'When it was given up; it waits for somebody to look.';

ALTER TABLE core.outbox ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME core.outbox_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE core.places (
    space text NOT NULL,
    database integer NOT NULL,
    placed_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT places_space_check CHECK (((char_length(space) >= 1) AND (char_length(space) <= 512)))
);

COMMENT ON TABLE core.places IS 'Of no space: in which database each space is, or will be when something is written to it.';

CREATE SEQUENCE core.recall_alone
    START WITH -4611686018427387904
    INCREMENT BY 1
    MINVALUE -4611686018427387904
    MAXVALUE -1
    CACHE 1;

CREATE TABLE core.recall_generations (
    id smallint NOT NULL,
    model text NOT NULL,
    digest text NOT NULL,
    dimensions integer NOT NULL,
    state text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT recall_generations_dimensions_check CHECK (((dimensions >= 1) AND (dimensions <= 4000))),
    CONSTRAINT recall_generations_state_check CHECK ((state = ANY (ARRAY['building'::text, 'serving'::text, 'retired'::text])))
);

COMMENT ON COLUMN core.recall_generations.state IS 'building: its vectors are being made; serving: new spaces begin with it; retired: spaces leave it.';

ALTER TABLE core.recall_generations ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME core.recall_generations_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE core.recall_kinds (
    code smallint NOT NULL,
    name text NOT NULL,
    CONSTRAINT recall_kinds_name_check CHECK ((name ~ '^[a-z][a-z_]*$'::text))
);

ALTER TABLE core.recall_names ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME core.recall_names_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE core.recall_postings (
    space_id integer NOT NULL,
    term integer NOT NULL,
    entry_id bigint NOT NULL,
    occurrences smallint NOT NULL,
    tokens smallint NOT NULL,
    CONSTRAINT recall_postings_occurrences_check CHECK ((occurrences > 0)),
    CONSTRAINT recall_postings_tokens_check CHECK ((tokens > 0))
)
WITH (autovacuum_vacuum_insert_scale_factor='0.05', autovacuum_vacuum_insert_threshold='5000', autovacuum_vacuum_scale_factor='0.05');

ALTER TABLE ONLY core.recall_postings FORCE ROW LEVEL SECURITY;

CREATE TABLE core.recall_terms (
    space_id integer NOT NULL,
    term integer NOT NULL,
    entries integer NOT NULL,
    CONSTRAINT recall_terms_entries_check CHECK ((entries >= 0))
)
WITH (fillfactor='80', autovacuum_vacuum_scale_factor='0.1');

ALTER TABLE ONLY core.recall_terms FORCE ROW LEVEL SECURITY;

CREATE TABLE core.recall_threads (
    space_id integer NOT NULL,
    id bigint NOT NULL,
    next_position integer DEFAULT 0 NOT NULL,
    tokens bigint DEFAULT 0 NOT NULL,
    speakers integer[] DEFAULT '{}'::integer[] NOT NULL,
    with_assistant boolean DEFAULT false NOT NULL
)
WITH (fillfactor='70');

ALTER TABLE ONLY core.recall_threads FORCE ROW LEVEL SECURITY;

CREATE TABLE core.recall_vectors (
    space_id integer NOT NULL,
    generation smallint NOT NULL,
    entry_id bigint NOT NULL,
    own public.halfvec,
    context public.halfvec NOT NULL
)
WITH (autovacuum_vacuum_insert_scale_factor='0.05', autovacuum_vacuum_scale_factor='0.05');
ALTER TABLE ONLY core.recall_vectors ALTER COLUMN own SET STORAGE PLAIN;
ALTER TABLE ONLY core.recall_vectors ALTER COLUMN context SET STORAGE PLAIN;

ALTER TABLE ONLY core.recall_vectors FORCE ROW LEVEL SECURITY;

CREATE VIEW core.receipts WITH (security_invoker='true') AS
 SELECT erasures.space_id,
    erasures.id,
    erasures.erased_at,
    erasures.counts,
    erasures.document,
    erasures.signature,
    core.erasure_public_key() AS public_key
   FROM core.erasures
  WHERE (erasures.document IS NOT NULL)
UNION ALL
 SELECT carried_receipts.space_id,
    carried_receipts.id,
    carried_receipts.erased_at,
    carried_receipts.counts,
    carried_receipts.document,
    carried_receipts.signature,
    carried_receipts.public_key
   FROM core.carried_receipts;

COMMENT ON VIEW core.receipts IS 'The receipts of a space, its own and those of other databases, each with the key that verifies it.';

CREATE TABLE core.relations (
    space_id integer DEFAULT core.current_space() NOT NULL,
    newer bigint NOT NULL,
    older bigint NOT NULL,
    relation text DEFAULT 'supersedes'::text NOT NULL,
    reason text,
    made_by text NOT NULL,
    strength real DEFAULT 1 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    removed_at timestamp with time zone,
    removed_by text,
    CONSTRAINT relations_check CHECK ((older <> newer)),
    CONSTRAINT relations_check1 CHECK (((removed_at IS NULL) = (removed_by IS NULL))),
    CONSTRAINT relations_made_by_check CHECK ((made_by = ANY (ARRAY['rule'::text, 'person'::text, 'source'::text]))),
    CONSTRAINT relations_reason_check CHECK (((char_length(reason) >= 1) AND (char_length(reason) <= 2000))),
    CONSTRAINT relations_relation_check CHECK ((relation = 'supersedes'::text)),
    CONSTRAINT relations_removed_by_check CHECK ((removed_by = ANY (ARRAY['rule'::text, 'person'::text]))),
    CONSTRAINT relations_strength_check CHECK (((strength >= (0)::double precision) AND (strength <= (1)::double precision)))
);

ALTER TABLE ONLY core.relations FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN core.relations.reason IS 'A few words, such as "moved"; of what was said it repeats nothing else.';

COMMENT ON COLUMN core.relations.strength IS 'How certain it is, 0 to 1; what a person says is certain.';

CREATE TABLE core.removed_messages (
    space_id integer DEFAULT core.current_space() NOT NULL,
    id bigint NOT NULL,
    session_id bigint,
    external_id text NOT NULL,
    role text NOT NULL,
    speaker text,
    user_name text,
    happened_at timestamp with time zone NOT NULL,
    recorded_at timestamp with time zone NOT NULL,
    redacted integer NOT NULL,
    content text NOT NULL,
    item text,
    metadata jsonb NOT NULL,
    removed_at timestamp with time zone NOT NULL
);

ALTER TABLE ONLY core.removed_messages FORCE ROW LEVEL SECURITY;

CREATE TABLE core.schedules (
    name text NOT NULL,
    cron text NOT NULL,
    due_at timestamp with time zone NOT NULL,
    fired_at timestamp with time zone,
    held_at timestamp with time zone
);

COMMENT ON TABLE core.schedules IS 'When each schedule is due next: whoever moves that on fires it, so it fires once.';

COMMENT ON COLUMN core.schedules.held_at IS 'When it was put off because it was far behind; null: it has fired since.';

ALTER TABLE core.sessions ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME core.sessions_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE VIEW core.sessions_of_person WITH (security_invoker='true') AS
 SELECT sessions.space_id,
    sessions.id,
    sessions.name,
    sessions.messages,
    sessions.started_at,
    sessions.last_at,
    sessions.created_at,
    sessions.uid,
    sessions.distinct_id,
    sessions.belongs_to,
    sessions.verbatim
   FROM core.sessions
UNION ALL
 SELECT shared_sessions_of_person.space_id,
    shared_sessions_of_person.id,
    shared_sessions_of_person.name,
    shared_sessions_of_person.messages,
    shared_sessions_of_person.started_at,
    shared_sessions_of_person.last_at,
    shared_sessions_of_person.created_at,
    shared_sessions_of_person.uid,
    shared_sessions_of_person.distinct_id,
    shared_sessions_of_person.belongs_to,
    shared_sessions_of_person.verbatim
   FROM core.shared_sessions_of_person() shared_sessions_of_person(space_id, id, name, messages, started_at, last_at, created_at, uid, distinct_id, belongs_to, verbatim);

COMMENT ON VIEW core.sessions_of_person IS 'Sessions in which the person of this transaction took part.';

CREATE TABLE core.settings (
    name text NOT NULL,
    value jsonb NOT NULL,
    changed_at timestamp with time zone NOT NULL,
    CONSTRAINT settings_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 100)))
);

CREATE TABLE core.signins (
    token_sha256 bytea NOT NULL,
    kind text NOT NULL,
    ends_at timestamp with time zone NOT NULL,
    CONSTRAINT signins_kind_check CHECK ((kind = ANY (ARRAY['link'::text, 'session'::text]))),
    CONSTRAINT signins_token_sha256_check CHECK ((octet_length(token_sha256) = 32))
);

COMMENT ON TABLE core.signins IS 'Of no space: who is signed in sees all. Only hashes of random tokens; any server of this database knows them.';

CREATE TABLE core.space_settings (
    space_id integer NOT NULL,
    name text NOT NULL,
    value jsonb NOT NULL,
    changed_at timestamp with time zone NOT NULL,
    CONSTRAINT space_settings_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 100)))
);

ALTER TABLE ONLY core.space_settings FORCE ROW LEVEL SECURITY;

ALTER TABLE core.spaces ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME core.spaces_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE core.standing_rules (
    space_id integer DEFAULT core.current_space() NOT NULL,
    id uuid NOT NULL,
    user_name text,
    message_id bigint,
    text text NOT NULL,
    scope text DEFAULT ''::text NOT NULL,
    made_by text NOT NULL,
    since timestamp with time zone NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    ended_at timestamp with time zone,
    ended_by text,
    ended_in bigint,
    CONSTRAINT standing_rules_check CHECK (((ended_at IS NULL) = (ended_by IS NULL))),
    CONSTRAINT standing_rules_check1 CHECK (((ended_in IS NULL) OR (ended_at IS NOT NULL))),
    CONSTRAINT standing_rules_ended_by_check CHECK ((ended_by = ANY (ARRAY['rule'::text, 'person'::text]))),
    CONSTRAINT standing_rules_made_by_check CHECK ((made_by = ANY (ARRAY['rule'::text, 'person'::text]))),
    CONSTRAINT standing_rules_scope_check CHECK ((char_length(scope) <= 20000)),
    CONSTRAINT standing_rules_text_check CHECK (((char_length(text) >= 1) AND (char_length(text) <= 20000))),
    CONSTRAINT standing_rules_user_name_check CHECK (((char_length(user_name) >= 1) AND (char_length(user_name) <= 512)))
);

ALTER TABLE ONLY core.standing_rules FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN core.standing_rules.user_name IS 'Whose rule it is; null for that of the whole space.';

COMMENT ON COLUMN core.standing_rules.scope IS 'Words of the requests for which it holds; empty where it holds for all.';

COMMENT ON COLUMN core.standing_rules.since IS 'When it was said.';

COMMENT ON COLUMN core.standing_rules.ended_in IS 'The message that ended it, if one did and is still there.';

CREATE TABLE core.tombstones (
    hash bytea NOT NULL,
    until timestamp with time zone NOT NULL,
    noted_at timestamp with time zone NOT NULL,
    CONSTRAINT tombstones_hash_check CHECK ((octet_length(hash) = 32))
);

COMMENT ON TABLE core.tombstones IS 'Of no space, for it outlives them: what was erased, as keyed hashes. The application has functions for it, no right.';

COMMENT ON COLUMN core.tombstones.until IS 'What happened later is not meant; infinity of a line.';

COMMENT ON COLUMN core.tombstones.noted_at IS 'By the clock of the server: what is being taken in at this time takes in no more of it.';

CREATE TABLE core.tool_calls (
    space_id integer DEFAULT core.current_space() NOT NULL,
    id bigint NOT NULL,
    session_id bigint NOT NULL,
    message_id bigint,
    turn_index integer NOT NULL,
    tool_name text NOT NULL,
    source_name text,
    args_json jsonb DEFAULT '{}'::jsonb NOT NULL,
    result_json jsonb,
    status text NOT NULL,
    latency_ms integer NOT NULL,
    cache_hit boolean DEFAULT false NOT NULL,
    source_freshness_seconds integer,
    error_code text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT tool_calls_latency_ms_check CHECK ((latency_ms >= 0)),
    CONSTRAINT tool_calls_source_freshness_seconds_check CHECK ((source_freshness_seconds >= 0)),
    CONSTRAINT tool_calls_status_check CHECK ((status = ANY (ARRAY['ok'::text, 'error'::text, 'timeout'::text, 'stale'::text]))),
    CONSTRAINT tool_calls_tool_name_check CHECK (((char_length(tool_name) >= 1) AND (char_length(tool_name) <= 512))),
    CONSTRAINT tool_calls_turn_index_check CHECK ((turn_index >= 0))
);

ALTER TABLE ONLY core.tool_calls FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE core.tool_calls IS 'A call goes with the message that made it: what was forgotten must not live on in its arguments.';

COMMENT ON COLUMN core.tool_calls.source_name IS 'Which outside source it asked, where a kind of memory tells them apart.';

ALTER TABLE core.tool_calls ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME core.tool_calls_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE core.unindexed_messages (
    space_id integer DEFAULT core.current_space() NOT NULL,
    message_id bigint NOT NULL,
    happened_at timestamp with time zone NOT NULL
);

ALTER TABLE ONLY core.unindexed_messages FORCE ROW LEVEL SECURITY;

CREATE TABLE documents.passages (
    space_id integer DEFAULT core.entered() NOT NULL,
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    document_id uuid NOT NULL,
    number integer NOT NULL,
    field text NOT NULL,
    heading text,
    first_line integer,
    text text NOT NULL,
    user_name text,
    happened_at timestamp with time zone NOT NULL,
    entry_id bigint,
    CONSTRAINT passages_field_check CHECK ((char_length(field) <= 1000)),
    CONSTRAINT passages_first_line_check CHECK ((first_line > 0)),
    CONSTRAINT passages_heading_check CHECK ((char_length(heading) <= 1000)),
    CONSTRAINT passages_number_check CHECK ((number >= 0)),
    CONSTRAINT passages_text_check CHECK (((char_length(text) >= 1) AND (char_length(text) <= 20000)))
);

ALTER TABLE ONLY documents.passages FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN documents.passages.number IS 'Its place among the passages of the document.';

COMMENT ON COLUMN documents.passages.field IS 'The path into the value; empty for the text.';

COMMENT ON COLUMN documents.passages.heading IS 'The headings that it stands under, outermost first.';

COMMENT ON COLUMN documents.passages.entry_id IS 'Its entry in core.recall_entries; null until it is indexed.';

CREATE VIEW documents.shown WITH (security_invoker='true') AS
 SELECT space_id,
    id AS document_id,
    (id)::text AS id,
    documents.names(place) AS path,
    place,
    key,
    value,
    body,
    metadata,
    user_name AS "user",
    index_paths AS index,
    version,
    sha256,
    created_at,
    updated_at,
    ttl_seconds,
    expires_at,
    written_by,
    redacted
   FROM documents.documents;

COMMENT ON VIEW documents.shown IS 'Documents as the doors show them.';

CREATE TABLE documents.vectors (
    space_id integer DEFAULT core.entered() NOT NULL,
    id bigint NOT NULL,
    document_id uuid NOT NULL,
    vector public.vector NOT NULL
);

ALTER TABLE ONLY documents.vectors FORCE ROW LEVEL SECURITY;

ALTER TABLE documents.vectors ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME documents.vectors_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE documents.versions (
    space_id integer DEFAULT core.entered() NOT NULL,
    document_id uuid NOT NULL,
    version integer NOT NULL,
    place text NOT NULL COLLATE pg_catalog."C",
    key text NOT NULL COLLATE pg_catalog."C",
    value jsonb,
    body text,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    user_name text,
    index_paths text[] NOT NULL,
    sha256 text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    written_at timestamp with time zone NOT NULL,
    written_by text,
    ended_at timestamp with time zone DEFAULT now() NOT NULL,
    ended_by text NOT NULL,
    redacted_at timestamp with time zone,
    CONSTRAINT versions_check CHECK (((redacted_at IS NULL) OR ((value IS NULL) AND (body IS NULL) AND (metadata = '{}'::jsonb)))),
    CONSTRAINT versions_ended_by_check CHECK ((ended_by = ANY (ARRAY['change'::text, 'rename'::text, 'delete'::text]))),
    CONSTRAINT versions_version_check CHECK ((version > 0))
);

ALTER TABLE ONLY documents.versions FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN documents.versions.created_at IS 'When its document was first written.';

COMMENT ON COLUMN documents.versions.ended_by IS 'What ended it: another text, another place, or removal.';

COMMENT ON COLUMN documents.versions.redacted_at IS 'When its content was taken out for good; its digest stays.';

CREATE TABLE episodes.accesses (
    space_id integer DEFAULT core.entered() NOT NULL,
    episode_id uuid NOT NULL,
    accessed_at timestamp with time zone NOT NULL
);

ALTER TABLE ONLY episodes.accesses FORCE ROW LEVEL SECURITY;

CREATE TABLE episodes.beliefs (
    space_id integer DEFAULT core.entered() NOT NULL,
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    person text NOT NULL,
    user_name text,
    key text NOT NULL,
    slot text NOT NULL,
    value text NOT NULL,
    form text NOT NULL,
    nature text NOT NULL,
    category text NOT NULL,
    confidence real NOT NULL,
    source text NOT NULL,
    state text NOT NULL,
    by_hand boolean DEFAULT false NOT NULL,
    first_said_at timestamp with time zone NOT NULL,
    said_at timestamp with time zone NOT NULL,
    ending text,
    ended_at timestamp with time zone,
    successor uuid,
    entry_id bigint,
    valid_from timestamp with time zone,
    valid_until timestamp with time zone,
    told_until timestamp with time zone,
    CONSTRAINT beliefs_category_check CHECK ((category = ANY (ARRAY['core'::text, 'preference'::text, 'physical'::text, 'relationship'::text, 'general'::text]))),
    CONSTRAINT beliefs_check CHECK (((state = 'superseded'::text) = (ended_at IS NOT NULL))),
    CONSTRAINT beliefs_check1 CHECK (((ended_at IS NULL) = (ending IS NULL))),
    CONSTRAINT beliefs_check2 CHECK (((entry_id IS NULL) OR (state = 'standing'::text))),
    CONSTRAINT beliefs_confidence_check CHECK (((confidence >= (0)::double precision) AND (confidence <= (1)::double precision))),
    CONSTRAINT beliefs_ending_check CHECK ((ending = ANY (ARRAY['corrected'::text, 'changed'::text, 'refined'::text, 'stronger'::text, 'weaker'::text, 'older'::text, 'denied'::text, 'by_hand'::text, 'wrong'::text]))),
    CONSTRAINT beliefs_form_check CHECK ((form <> ''::text)),
    CONSTRAINT beliefs_key_check CHECK ((key ~ '^[a-z0-9][a-z0-9_]{0,63}$'::text)),
    CONSTRAINT beliefs_nature_check CHECK ((nature = ANY (ARRAY['trait'::text, 'fact'::text]))),
    CONSTRAINT beliefs_person_check CHECK ((char_length(person) <= 512)),
    CONSTRAINT beliefs_source_check CHECK ((source = ANY (ARRAY['explicit'::text, 'inferred'::text, 'explicit_correction'::text]))),
    CONSTRAINT beliefs_state_check CHECK ((state = ANY (ARRAY['standing'::text, 'contested'::text, 'superseded'::text]))),
    CONSTRAINT beliefs_user_name_check CHECK (((char_length(user_name) >= 1) AND (char_length(user_name) <= 512))),
    CONSTRAINT beliefs_value_check CHECK (((char_length(value) >= 1) AND (char_length(value) <= 1000)))
);

ALTER TABLE ONLY episodes.beliefs FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN episodes.beliefs.person IS 'Whom it is about: the user, or who spoke; empty where nobody is named.';

COMMENT ON COLUMN episodes.beliefs.slot IS 'Empty where a key has one value; the form where it may have several.';

COMMENT ON COLUMN episodes.beliefs.form IS 'The value without case, articles and punctuation: the same value has the same.';

COMMENT ON COLUMN episodes.beliefs.entry_id IS 'Its entry in core.recall_entries: only what stands is found.';

COMMENT ON COLUMN episodes.beliefs.valid_from IS 'Since when it holds; null: since first_said_at.';

COMMENT ON COLUMN episodes.beliefs.valid_until IS 'When it ceased to hold; null: it holds. The earlier of told_until and what core.relations say.';

COMMENT ON COLUMN episodes.beliefs.told_until IS 'When it ceased to hold, as who wrote it said.';

CREATE TABLE episodes.conflicts (
    space_id integer DEFAULT core.entered() NOT NULL,
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    belief_id uuid NOT NULL,
    rival_id uuid NOT NULL,
    severity text NOT NULL,
    state text DEFAULT 'open'::text NOT NULL,
    surfaced integer DEFAULT 0 NOT NULL,
    surfaced_at timestamp with time zone,
    opened_at timestamp with time zone NOT NULL,
    resolved_at timestamp with time zone,
    strategy text,
    CONSTRAINT conflicts_check CHECK ((belief_id <> rival_id)),
    CONSTRAINT conflicts_check1 CHECK (((state = ANY (ARRAY['resolved'::text, 'decayed'::text])) = (resolved_at IS NOT NULL))),
    CONSTRAINT conflicts_check2 CHECK (((resolved_at IS NULL) = (strategy IS NULL))),
    CONSTRAINT conflicts_severity_check CHECK ((severity = ANY (ARRAY['low'::text, 'medium'::text, 'high'::text, 'critical'::text]))),
    CONSTRAINT conflicts_state_check CHECK ((state = ANY (ARRAY['open'::text, 'surfaced'::text, 'resolved'::text, 'decayed'::text]))),
    CONSTRAINT conflicts_strategy_check CHECK ((strategy = ANY (ARRAY['temporal_supersede'::text, 'user_clarified'::text, 'evidence_resolved'::text, 'confidence_dominance'::text, 'decayed'::text, 'deleted'::text]))),
    CONSTRAINT conflicts_surfaced_check CHECK ((surfaced >= 0))
);

ALTER TABLE ONLY episodes.conflicts FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN episodes.conflicts.severity IS 'When it began; each time that it is asked about lowers it by one.';

CREATE TABLE episodes.conversation_details (
    space_id integer DEFAULT core.entered() NOT NULL,
    session_id bigint NOT NULL,
    user_name text,
    topic text,
    title text,
    status text DEFAULT 'active'::text NOT NULL,
    thread_id bigint,
    topic_id bigint,
    updated_at timestamp with time zone,
    thread text,
    CONSTRAINT conversation_details_status_check CHECK ((status = ANY (ARRAY['active'::text, 'archived'::text, 'deleted'::text]))),
    CONSTRAINT conversation_details_thread_check CHECK (((char_length(thread) >= 1) AND (char_length(thread) <= 1000))),
    CONSTRAINT conversation_details_title_check CHECK (((char_length(title) >= 1) AND (char_length(title) <= 500))),
    CONSTRAINT conversation_details_topic_check CHECK (((char_length(topic) >= 1) AND (char_length(topic) <= 200))),
    CONSTRAINT conversation_details_user_name_check CHECK (((char_length(user_name) >= 1) AND (char_length(user_name) <= 512)))
);

ALTER TABLE ONLY episodes.conversation_details FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN episodes.conversation_details.topic IS 'As somebody has set it; else it is the name of the topic that was found.';

COMMENT ON COLUMN episodes.conversation_details.thread_id IS 'The thread of its latest exchange, as topic_id is its topic.';

COMMENT ON COLUMN episodes.conversation_details.updated_at IS 'When somebody last changed the topic, title or status.';

COMMENT ON COLUMN episodes.conversation_details.thread IS 'As somebody has set it; else it is the name of the thread of its latest exchange.';

CREATE TABLE episodes.threads (
    space_id integer DEFAULT core.entered() NOT NULL,
    id bigint NOT NULL,
    user_name text,
    platform text NOT NULL,
    channel text NOT NULL,
    seq integer NOT NULL,
    name text GENERATED ALWAYS AS (((((platform || ':'::text) || channel) || ':'::text) || seq)) STORED NOT NULL,
    state text DEFAULT 'open'::text NOT NULL,
    started_at timestamp with time zone NOT NULL,
    last_at timestamp with time zone NOT NULL,
    exchanges integer DEFAULT 0 NOT NULL,
    resumed integer DEFAULT 0 NOT NULL,
    continued_from bigint,
    CONSTRAINT threads_channel_check CHECK (((char_length(channel) >= 1) AND (char_length(channel) <= 512))),
    CONSTRAINT threads_exchanges_check CHECK ((exchanges >= 0)),
    CONSTRAINT threads_platform_check CHECK (((char_length(platform) >= 1) AND (char_length(platform) <= 64))),
    CONSTRAINT threads_resumed_check CHECK ((resumed >= 0)),
    CONSTRAINT threads_seq_check CHECK ((seq > 0)),
    CONSTRAINT threads_state_check CHECK ((state = ANY (ARRAY['open'::text, 'ended'::text]))),
    CONSTRAINT threads_user_name_check CHECK (((char_length(user_name) >= 1) AND (char_length(user_name) <= 512)))
);

ALTER TABLE ONLY episodes.threads FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN episodes.threads.user_name IS 'Whose thread it is; null where several people take part.';

COMMENT ON COLUMN episodes.threads.state IS 'ended: a later thread of the channel has begun.';

COMMENT ON COLUMN episodes.threads.resumed IS 'How often it was taken up again after a pause that is long, but not too long.';

CREATE TABLE episodes.topics (
    space_id integer DEFAULT core.entered() NOT NULL,
    id bigint NOT NULL,
    user_name text DEFAULT ''::text NOT NULL,
    name text NOT NULL,
    messages integer DEFAULT 0 NOT NULL,
    words jsonb DEFAULT '{}'::jsonb NOT NULL,
    centroid public.halfvec,
    generation smallint,
    last_at timestamp with time zone NOT NULL,
    CONSTRAINT topics_messages_check CHECK ((messages >= 0)),
    CONSTRAINT topics_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 200))),
    CONSTRAINT topics_user_name_check CHECK ((char_length(user_name) <= 512))
);

ALTER TABLE ONLY episodes.topics FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN episodes.topics.user_name IS 'Whose topic it is; empty where that is not known.';

COMMENT ON COLUMN episodes.topics.words IS 'How often its commonest words were said: word to count.';

COMMENT ON COLUMN episodes.topics.centroid IS 'The mean of the vectors of its latest exchanges, by the model of this generation.';

CREATE VIEW episodes.conversations WITH (security_invoker='true') AS
 SELECT s.uid AS id,
    COALESCE(d.user_name, s.distinct_id) AS user_id,
    COALESCE(d.topic, t.name, ''::text) AS topic,
    d.title,
    COALESCE(d.status, 'active'::text) AS status,
    COALESCE(s.started_at, s.created_at) AS created_at,
    GREATEST(d.updated_at, COALESCE(s.last_at, s.created_at)) AS updated_at,
    COALESCE(d.thread, h.name) AS thread_id,
    s.name AS session,
    s.messages,
    s.space_id,
    s.id AS session_number
   FROM (((core.sessions s
     LEFT JOIN episodes.conversation_details d ON (((d.space_id = s.space_id) AND (d.session_id = s.id))))
     LEFT JOIN episodes.topics t ON (((t.space_id = d.space_id) AND (t.id = d.topic_id))))
     LEFT JOIN episodes.threads h ON (((h.space_id = d.space_id) AND (h.id = d.thread_id))));

CREATE TABLE episodes.episode_history (
    space_id integer DEFAULT core.entered() NOT NULL,
    episode_id uuid NOT NULL,
    version integer NOT NULL,
    said jsonb NOT NULL,
    base_salience double precision NOT NULL,
    builder text NOT NULL,
    builder_version integer NOT NULL,
    replaced_at timestamp with time zone NOT NULL,
    CONSTRAINT episode_history_base_salience_check CHECK (((base_salience >= (0)::double precision) AND (base_salience <= (1)::double precision))),
    CONSTRAINT episode_history_builder_version_check CHECK ((builder_version > 0)),
    CONSTRAINT episode_history_version_check CHECK ((version > 0))
);

ALTER TABLE ONLY episodes.episode_history FORCE ROW LEVEL SECURITY;

CREATE TABLE episodes.stored_episodes (
    space_id integer DEFAULT core.entered() NOT NULL,
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    session_id bigint,
    thread_id bigint,
    user_name text,
    intent jsonb NOT NULL,
    context jsonb NOT NULL,
    action text NOT NULL,
    emotion jsonb NOT NULL,
    outcome text NOT NULL,
    gist text NOT NULL,
    base_salience double precision NOT NULL,
    topic text NOT NULL,
    exchange_id text,
    salience_factors jsonb NOT NULL,
    open_loops jsonb DEFAULT '[]'::jsonb NOT NULL,
    started_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    deleted_at timestamp with time zone,
    last_accessed_at timestamp with time zone,
    access_count integer DEFAULT 0 NOT NULL,
    builder text NOT NULL,
    builder_version integer DEFAULT 1 NOT NULL,
    builder_trouble text,
    version integer DEFAULT 1 NOT NULL,
    emptied_at timestamp with time zone,
    refile boolean DEFAULT false NOT NULL,
    entry_id bigint,
    loops_by_hand boolean DEFAULT false NOT NULL,
    CONSTRAINT stored_episodes_access_count_check CHECK ((access_count >= 0)),
    CONSTRAINT stored_episodes_base_salience_check CHECK (((base_salience >= (0)::double precision) AND (base_salience <= (1)::double precision))),
    CONSTRAINT stored_episodes_builder_version_check CHECK ((builder_version > 0)),
    CONSTRAINT stored_episodes_check CHECK ((started_at <= ended_at)),
    CONSTRAINT stored_episodes_check1 CHECK (((deleted_at IS NULL) OR (entry_id IS NULL) OR refile)),
    CONSTRAINT stored_episodes_check2 CHECK (((access_count = 0) = (last_accessed_at IS NULL))),
    CONSTRAINT stored_episodes_context_check CHECK ((jsonb_typeof(context) = 'object'::text)),
    CONSTRAINT stored_episodes_emotion_check CHECK ((jsonb_typeof(emotion) = 'object'::text)),
    CONSTRAINT stored_episodes_intent_check CHECK ((jsonb_typeof(intent) = 'object'::text)),
    CONSTRAINT stored_episodes_open_loops_check CHECK ((jsonb_typeof(open_loops) = 'array'::text)),
    CONSTRAINT stored_episodes_salience_factors_check CHECK ((jsonb_typeof(salience_factors) = 'object'::text)),
    CONSTRAINT stored_episodes_user_name_check CHECK (((char_length(user_name) >= 1) AND (char_length(user_name) <= 512))),
    CONSTRAINT stored_episodes_version_check CHECK ((version > 0)),
    CONSTRAINT values_are_readable CHECK (((NOT (intent @? 'strict $.**{33}'::jsonpath)) AND (NOT (intent @? 'strict $.**?(@ >= 10000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000 || @ <= -10000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000)'::jsonpath)) AND (NOT (context @? 'strict $.**{33}'::jsonpath)) AND (NOT (context @? 'strict $.**?(@ >= 10000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000 || @ <= -10000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000)'::jsonpath)) AND (NOT (emotion @? 'strict $.**{33}'::jsonpath)) AND (NOT (emotion @? 'strict $.**?(@ >= 10000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000 || @ <= -10000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000)'::jsonpath)) AND (NOT (salience_factors @? 'strict $.**{33}'::jsonpath)) AND (NOT (salience_factors @? 'strict $.**?(@ >= 10000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000 || @ <= -10000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000)'::jsonpath)) AND (NOT (open_loops @? 'strict $.**{33}'::jsonpath)) AND (NOT (open_loops @? 'strict $.**?(@ >= 10000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000 || @ <= -10000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000)'::jsonpath))))
);

ALTER TABLE ONLY episodes.stored_episodes FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN episodes.stored_episodes.base_salience IS 'What it weighed when it was made; uses raise it when it is read.';

COMMENT ON COLUMN episodes.stored_episodes.open_loops IS 'What its builder found; open_loops_of says what is open.';

COMMENT ON COLUMN episodes.stored_episodes.ended_at IS 'When it happened: it fades from then, or from its last use.';

COMMENT ON COLUMN episodes.stored_episodes.builder IS 'Who wrote it: rules, the name of a language model, or sql.';

COMMENT ON COLUMN episodes.stored_episodes.builder_trouble IS 'Why the language model that is configured did not write it.';

COMMENT ON COLUMN episodes.stored_episodes.emptied_at IS 'A message of it was forgotten: its words are gone until it is rewritten from the others.';

COMMENT ON COLUMN episodes.stored_episodes.refile IS 'It was changed by SQL: the index follows with the next recall.';

COMMENT ON COLUMN episodes.stored_episodes.loops_by_hand IS 'Its open loops were written by SQL: they stay so until it is rewritten.';

CREATE VIEW episodes.episodes WITH (security_invoker='true') AS
 SELECT e.id,
    e.intent,
    e.context,
    e.action,
    e.emotion,
    e.outcome,
    e.gist,
    s.salience,
    episodes.fresh(s.salience, episodes.hours(GREATEST(e.ended_at, e.last_accessed_at), now()), p.decay) AS freshness,
    ( SELECT (v.context)::public.vector AS context
           FROM (core.recall_vectors v
             JOIN core.spaces c ON (((c.id = v.space_id) AND (c.generation = v.generation))))
          WHERE ((v.space_id = e.space_id) AND (v.entry_id = e.entry_id))) AS embedding,
    e.topic,
    e.exchange_id,
    episodes.activation(e.ended_at, e.access_count, ARRAY( SELECT a.accessed_at
           FROM episodes.accesses a
          WHERE ((a.space_id = e.space_id) AND (a.episode_id = e.id))), now()) AS activation_score,
    e.salience_factors,
    episodes.open_loops_of(e.id, e.open_loops, e.loops_by_hand) AS open_loops,
    e.created_at,
    e.updated_at,
    e.last_accessed_at,
    e.access_count,
    e.deleted_at,
    e.space_id,
    e.session_id,
    e.thread_id,
    e.user_name,
    e.started_at,
    e.ended_at,
    e.builder,
    e.builder_version,
    e.version
   FROM ((( SELECT core.number_set('episode_boost'::text, (0.2)::double precision) AS boost,
            core.number_set('episode_decay_per_hour'::text, (0.05)::double precision) AS decay
         OFFSET 0) p
     CROSS JOIN episodes.stored_episodes e)
     CROSS JOIN LATERAL ( SELECT episodes.raised(e.base_salience, e.access_count, p.boost) AS salience
         OFFSET 0) s)
  WHERE (e.emptied_at IS NULL);

COMMENT ON VIEW episodes.episodes IS 'Salience, freshness and activation are those of now.';

ALTER TABLE episodes.exchanges ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME episodes.exchanges_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE episodes.loop_messages (
    space_id integer DEFAULT core.entered() NOT NULL,
    loop_id uuid NOT NULL,
    message_id bigint NOT NULL
);

ALTER TABLE ONLY episodes.loop_messages FORCE ROW LEVEL SECURITY;

CREATE TABLE episodes.loops (
    space_id integer DEFAULT core.entered() NOT NULL,
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    kind text NOT NULL,
    state text DEFAULT 'open'::text NOT NULL,
    content text NOT NULL,
    by_whom text NOT NULL,
    user_name text,
    session_id bigint NOT NULL,
    message_id bigint NOT NULL,
    said_at timestamp with time zone NOT NULL,
    due_at timestamp with time zone,
    mentions integer DEFAULT 1 NOT NULL,
    things integer[] DEFAULT '{}'::integer[] NOT NULL,
    verbs integer[] DEFAULT '{}'::integer[] NOT NULL,
    closed_at timestamp with time zone,
    outcome text,
    evidence text,
    evidence_message bigint,
    reopened integer DEFAULT 0 NOT NULL,
    CONSTRAINT loops_by_whom_check CHECK (((char_length(by_whom) >= 1) AND (char_length(by_whom) <= 512))),
    CONSTRAINT loops_check CHECK (((state = 'closed'::text) = (closed_at IS NOT NULL))),
    CONSTRAINT loops_check1 CHECK (((closed_at IS NULL) = (outcome IS NULL))),
    CONSTRAINT loops_check2 CHECK (((state = 'closed'::text) OR (evidence IS NULL))),
    CONSTRAINT loops_content_check CHECK (((char_length(content) >= 1) AND (char_length(content) <= 2000))),
    CONSTRAINT loops_evidence_check CHECK (((char_length(evidence) >= 1) AND (char_length(evidence) <= 1000))),
    CONSTRAINT loops_kind_check CHECK ((kind = ANY (ARRAY['question'::text, 'promise'::text, 'task'::text, 'waiting'::text, 'followup'::text]))),
    CONSTRAINT loops_mentions_check CHECK ((mentions > 0)),
    CONSTRAINT loops_outcome_check CHECK ((outcome = ANY (ARRAY['resolved'::text, 'dropped'::text]))),
    CONSTRAINT loops_reopened_check CHECK ((reopened >= 0)),
    CONSTRAINT loops_state_check CHECK ((state = ANY (ARRAY['open'::text, 'closed'::text]))),
    CONSTRAINT loops_user_name_check CHECK (((char_length(user_name) >= 1) AND (char_length(user_name) <= 512)))
);

ALTER TABLE ONLY episodes.loops FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN episodes.loops.by_whom IS 'Who left it open: a name, or the role where nobody is named.';

COMMENT ON COLUMN episodes.loops.things IS 'Terms of what it is about, verbs of what is to be done: later turns are recognised by them.';

COMMENT ON COLUMN episodes.loops.evidence IS 'The words that closed it; null where it was closed by hand without any, or they were erased.';

CREATE TABLE episodes.message_details (
    space_id integer DEFAULT core.entered() NOT NULL,
    message_id bigint NOT NULL,
    mode text,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    CONSTRAINT message_details_metadata_check CHECK ((jsonb_typeof(metadata) = 'object'::text)),
    CONSTRAINT message_details_mode_check CHECK ((mode = ANY (ARRAY['RESPOND'::text, 'ACT'::text, 'CLARIFY'::text, 'ACKNOWLEDGE'::text, 'IGNORE'::text]))),
    CONSTRAINT values_are_readable CHECK (((NOT (metadata @? 'strict $.**{33}'::jsonpath)) AND (NOT (metadata @? 'strict $.**?(@ >= 10000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000 || @ <= -10000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000)'::jsonpath))))
);

ALTER TABLE ONLY episodes.message_details FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN episodes.message_details.mode IS 'What a reply did. Null: it is no reply, or nobody has looked yet.';

CREATE VIEW episodes.messages WITH (security_invoker='true') AS
 SELECT
        CASE
            WHEN (m.external_id ~ '^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$'::text) THEN (m.external_id)::uuid
            ELSE (md5(((m.space_id || '/'::text) || m.id)))::uuid
        END AS id,
    s.uid AS conversation_id,
    m.role,
    m.content,
    d.mode,
    COALESCE(d.metadata, '{}'::jsonb) AS metadata,
    m.happened_at AS created_at,
    m.id AS message_number,
    m.external_id,
    m.session_id AS session_number,
    m.space_id
   FROM ((core.messages m
     JOIN core.sessions s ON (((s.space_id = m.space_id) AND (s.id = m.session_id))))
     LEFT JOIN episodes.message_details d ON (((d.space_id = m.space_id) AND (d.message_id = m.id))));

CREATE TABLE episodes.progress (
    space_id integer DEFAULT core.entered() NOT NULL,
    session_id bigint NOT NULL,
    topic text NOT NULL,
    mark bigint NOT NULL,
    skipped integer DEFAULT 0 NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT progress_skipped_check CHECK ((skipped >= 0)),
    CONSTRAINT progress_topic_check CHECK (((char_length(topic) >= 1) AND (char_length(topic) <= 50)))
);

ALTER TABLE ONLY episodes.progress FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN episodes.progress.topic IS 'The topic of the job in the queue.';

COMMENT ON COLUMN episodes.progress.mark IS 'The last that it has dealt with: of the chunker a message, of the others an exchange.';

COMMENT ON COLUMN episodes.progress.skipped IS 'How many it could make nothing of.';

CREATE TABLE episodes.prompts (
    space_id integer DEFAULT core.entered() NOT NULL,
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    session text NOT NULL,
    user_name text,
    content text,
    status text DEFAULT 'waiting'::text NOT NULL,
    answered_by text,
    prompt_message bigint,
    reply_message bigint,
    created_at timestamp with time zone NOT NULL,
    answered_at timestamp with time zone,
    CONSTRAINT prompts_check CHECK (((status = 'waiting'::text) = (answered_at IS NULL))),
    CONSTRAINT prompts_session_check CHECK (((char_length(session) >= 1) AND (char_length(session) <= 512))),
    CONSTRAINT prompts_status_check CHECK ((status = ANY (ARRAY['waiting'::text, 'answered'::text, 'no_agent'::text]))),
    CONSTRAINT prompts_user_name_check CHECK (((char_length(user_name) >= 1) AND (char_length(user_name) <= 512)))
);

ALTER TABLE ONLY episodes.prompts FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN episodes.prompts.content IS 'What is asked, until it stands in the record.';

COMMENT ON COLUMN episodes.prompts.status IS 'waiting: its job waits, or has failed. no_agent: nobody was configured who could answer.';

ALTER TABLE episodes.threads ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME episodes.threads_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE VIEW episodes.threads_of_person WITH (security_invoker='true') AS
 SELECT t.space_id,
    t.id,
    t.user_name,
    t.platform,
    t.channel,
    t.seq,
    t.name,
    t.state,
    e.started_at,
    e.last_at,
    e.exchanges,
    t.resumed,
    t.continued_from
   FROM (episodes.threads t
     JOIN ( SELECT exchanges.space_id,
            exchanges.thread_id,
            (count(*))::integer AS exchanges,
            min(exchanges.started_at) AS started_at,
            max(exchanges.ended_at) AS last_at
           FROM episodes.exchanges
          GROUP BY exchanges.space_id, exchanges.thread_id) e ON (((e.space_id = t.space_id) AND (e.thread_id = t.id))));

COMMENT ON VIEW episodes.threads_of_person IS 'Threads as far as they consist of exchanges that the person of this transaction sees.';

ALTER TABLE episodes.topics ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME episodes.topics_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE VIEW ledger.assumption_friction WITH (security_invoker='true') AS
 SELECT e.space_id,
    ((e.created_at AT TIME ZONE 'UTC'::text))::date AS day,
    e.memory_scope,
    t.assumption_type,
    count(*) FILTER (WHERE (e.event_type = 'assumption_set'::text)) AS assumed,
    count(*) FILTER (WHERE t.corrected) AS corrected,
    count(*) FILTER (WHERE ((e.event_type = 'assumption_corrected'::text) AND (NOT t.corrected))) AS confirmed,
    round(((count(*) FILTER (WHERE t.corrected))::numeric / (NULLIF(count(*) FILTER (WHERE (e.event_type = 'assumption_set'::text)), 0))::numeric), 3) AS friction
   FROM (ledger.chat_memory_events e
     CROSS JOIN LATERAL ( SELECT
                CASE
                    WHEN (e.memory_key = ANY (ARRAY['baseline.scope'::text, 'baseline.default_scope'::text])) THEN 'baseline_scope'::text
                    WHEN (e.memory_namespace = 'baseline'::text) THEN 'baseline_value'::text
                    WHEN (e.memory_namespace = 'location'::text) THEN 'location_mapping'::text
                    WHEN (e.memory_key ~~ '%time_window%'::text) THEN 'time_window'::text
                    ELSE e.memory_namespace
                END AS assumption_type,
            ((e.event_type = 'assumption_corrected'::text) AND (e.new_value_json IS DISTINCT FROM e.old_value_json)) AS corrected) t)
  WHERE (e.event_type = ANY (ARRAY['assumption_set'::text, 'assumption_corrected'::text]))
  GROUP BY e.space_id, (((e.created_at AT TIME ZONE 'UTC'::text))::date), e.memory_scope, t.assumption_type;

COMMENT ON VIEW ledger.assumption_friction IS 'Corrections for each assumption made; one that was found right is confirmed, not corrected.';

CREATE TABLE ledger.chat_competitor_checks (
    space_id integer DEFAULT core.entered() NOT NULL,
    id bigint NOT NULL,
    session_id uuid NOT NULL,
    turn_index integer NOT NULL,
    query_text text NOT NULL,
    resolved_place_id text,
    resolved_name text,
    status text NOT NULL,
    latency_ms integer,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT chat_competitor_checks_latency_ms_check CHECK ((latency_ms >= 0)),
    CONSTRAINT chat_competitor_checks_status_check CHECK ((status = ANY (ARRAY['resolved'::text, 'not_found'::text, 'ambiguous'::text, 'error'::text]))),
    CONSTRAINT chat_competitor_checks_turn_index_check CHECK ((turn_index >= 0))
);

ALTER TABLE ONLY ledger.chat_competitor_checks FORCE ROW LEVEL SECURITY;

CREATE SEQUENCE ledger.chat_competitor_checks_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE ledger.chat_competitor_checks_id_seq OWNED BY ledger.chat_competitor_checks.id;

CREATE TABLE ledger.chat_fallbacks (
    space_id integer DEFAULT core.entered() NOT NULL,
    id bigint NOT NULL,
    session_id uuid NOT NULL,
    turn_index integer NOT NULL,
    fallback_type text NOT NULL,
    reason text NOT NULL,
    sources_down text[] DEFAULT '{}'::text[] NOT NULL,
    response_text text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT chat_fallbacks_fallback_type_check CHECK ((fallback_type = ANY (ARRAY['partial_data'::text, 'all_sources_down'::text, 'timeout'::text, 'validation'::text]))),
    CONSTRAINT chat_fallbacks_turn_index_check CHECK ((turn_index >= 0))
);

ALTER TABLE ONLY ledger.chat_fallbacks FORCE ROW LEVEL SECURITY;

CREATE SEQUENCE ledger.chat_fallbacks_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE ledger.chat_fallbacks_id_seq OWNED BY ledger.chat_fallbacks.id;

CREATE SEQUENCE ledger.chat_memory_events_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE ledger.chat_memory_events_id_seq OWNED BY ledger.chat_memory_events.id;

CREATE VIEW ledger.chat_messages WITH (security_invoker='true') AS
 SELECT m.id,
    s.uid AS session_id,
    ((m.id & (16777215)::bigint))::integer AS message_index,
    (count(*) FILTER (WHERE (m.role = 'user'::text)) OVER (PARTITION BY s.uid ORDER BY m.id))::integer AS turn_index,
    m.role,
    m.content AS content_text,
    NULL::jsonb AS content_json,
    (m.redacted > 0) AS pii_redacted,
    NULL::integer AS input_tokens,
    NULL::integer AS output_tokens,
    NULL::integer AS latency_ms,
    m.recorded_at AS created_at
   FROM (core.messages m
     JOIN core.sessions s ON (((s.space_id = m.space_id) AND (s.id = m.session_id))));

COMMENT ON VIEW ledger.chat_messages IS 'What was said in sessions; a turn begins with a message of the user.';

CREATE TABLE ledger.chat_recommendation_evidence (
    space_id integer DEFAULT core.entered() NOT NULL,
    id bigint NOT NULL,
    recommendation_id bigint NOT NULL,
    session_id uuid NOT NULL,
    turn_index integer NOT NULL,
    source_name text NOT NULL,
    entity_type text NOT NULL,
    place_id text,
    review_id_hash text,
    review_publish_at timestamp with time zone,
    review_rating numeric(2,1),
    theme text NOT NULL,
    excerpt text,
    evidence_rank smallint DEFAULT 1 NOT NULL,
    evidence_weight numeric(6,3),
    meta jsonb DEFAULT '{}'::jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT chat_recommendation_evidence_check CHECK ((((source_name = 'reviews'::text) AND (place_id IS NOT NULL) AND (review_publish_at IS NOT NULL)) OR (source_name <> 'reviews'::text))),
    CONSTRAINT chat_recommendation_evidence_entity_type_check CHECK ((entity_type = ANY (ARRAY['own_location'::text, 'competitor'::text, 'system'::text]))),
    CONSTRAINT chat_recommendation_evidence_evidence_rank_check CHECK (((evidence_rank >= 1) AND (evidence_rank <= 10))),
    CONSTRAINT chat_recommendation_evidence_excerpt_check CHECK ((char_length(excerpt) <= 160)),
    CONSTRAINT chat_recommendation_evidence_source_name_check CHECK ((source_name = ANY (ARRAY['reviews'::text, 'events'::text, 'weather'::text, 'closures'::text, 'doe'::text, 'system'::text]))),
    CONSTRAINT chat_recommendation_evidence_theme_check CHECK ((theme = ANY (ARRAY['wait_time'::text, 'service_speed'::text, 'host_queue'::text, 'kitchen_delay'::text, 'food_quality'::text, 'value'::text, 'other'::text]))),
    CONSTRAINT chat_recommendation_evidence_turn_index_check CHECK ((turn_index >= 0)),
    CONSTRAINT figures_are_numbers CHECK (((review_rating <> 'NaN'::numeric) AND (evidence_weight <> 'NaN'::numeric))),
    CONSTRAINT values_are_readable CHECK (((NOT (meta @? 'strict $.**{33}'::jsonpath)) AND (NOT (meta @? 'strict $.**?(@ >= 10000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000 || @ <= -10000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000)'::jsonpath))))
);

ALTER TABLE ONLY ledger.chat_recommendation_evidence FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN ledger.chat_recommendation_evidence.excerpt IS 'At most 160 characters: never the whole of a review.';

CREATE SEQUENCE ledger.chat_recommendation_evidence_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE ledger.chat_recommendation_evidence_id_seq OWNED BY ledger.chat_recommendation_evidence.id;

CREATE TABLE ledger.chat_recommendations (
    space_id integer DEFAULT core.entered() NOT NULL,
    id bigint NOT NULL,
    session_id uuid NOT NULL,
    message_id bigint,
    turn_index integer NOT NULL,
    location_label text NOT NULL,
    action text NOT NULL,
    time_window text NOT NULL,
    confidence text NOT NULL,
    source_name text NOT NULL,
    source_freshness_seconds integer,
    rule_version text NOT NULL,
    impact_score numeric(6,2),
    review_backed boolean DEFAULT false NOT NULL,
    evidence_count integer DEFAULT 0 NOT NULL,
    recency_window_days smallint,
    explanation_json jsonb DEFAULT '{}'::jsonb NOT NULL,
    meta jsonb DEFAULT '{}'::jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT chat_recommendations_confidence_check CHECK ((confidence = ANY (ARRAY['low'::text, 'medium'::text, 'high'::text]))),
    CONSTRAINT chat_recommendations_evidence_count_check CHECK ((evidence_count >= 0)),
    CONSTRAINT chat_recommendations_recency_window_days_check CHECK ((recency_window_days >= 0)),
    CONSTRAINT chat_recommendations_source_freshness_seconds_check CHECK ((source_freshness_seconds >= 0)),
    CONSTRAINT chat_recommendations_source_name_check CHECK ((source_name = ANY (ARRAY['weather'::text, 'events'::text, 'closures'::text, 'doe'::text, 'reviews'::text, 'system'::text]))),
    CONSTRAINT chat_recommendations_turn_index_check CHECK ((turn_index >= 0)),
    CONSTRAINT figures_are_numbers CHECK ((impact_score <> 'NaN'::numeric)),
    CONSTRAINT values_are_readable CHECK (((NOT (explanation_json @? 'strict $.**{33}'::jsonpath)) AND (NOT (meta @? 'strict $.**{33}'::jsonpath)) AND (NOT (explanation_json @? 'strict $.**?(@ >= 10000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000 || @ <= -10000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000)'::jsonpath)) AND (NOT (meta @? 'strict $.**?(@ >= 10000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000 || @ <= -10000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000)'::jsonpath))))
);

ALTER TABLE ONLY ledger.chat_recommendations FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN ledger.chat_recommendations.review_backed IS 'Whether a review is among its evidence. Counted by the database, whatever is inserted.';

COMMENT ON COLUMN ledger.chat_recommendations.evidence_count IS 'How many pieces of evidence it has. Counted by the database, whatever is inserted.';

COMMENT ON COLUMN ledger.chat_recommendations.recency_window_days IS 'The fewest days before the recommendation that hold all its reviews; null without any. Counted by the database.';

CREATE SEQUENCE ledger.chat_recommendations_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE ledger.chat_recommendations_id_seq OWNED BY ledger.chat_recommendations.id;

CREATE TABLE ledger.chat_review_signal_runs (
    space_id integer DEFAULT core.entered() NOT NULL,
    id bigint NOT NULL,
    session_id uuid NOT NULL,
    turn_index integer NOT NULL,
    entity_type text NOT NULL,
    place_id text NOT NULL,
    source_name text DEFAULT 'reviews'::text NOT NULL,
    sample_review_count integer DEFAULT 0 NOT NULL,
    evidence_count integer DEFAULT 0 NOT NULL,
    recency_window_days smallint NOT NULL,
    themes_detected text[] DEFAULT '{}'::text[] NOT NULL,
    signal_scores_json jsonb DEFAULT '{}'::jsonb NOT NULL,
    status text NOT NULL,
    latency_ms integer,
    cache_hit boolean DEFAULT false NOT NULL,
    source_freshness_seconds integer,
    error_code text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT chat_review_signal_runs_entity_type_check CHECK ((entity_type = ANY (ARRAY['own_location'::text, 'competitor'::text]))),
    CONSTRAINT chat_review_signal_runs_evidence_count_check CHECK ((evidence_count >= 0)),
    CONSTRAINT chat_review_signal_runs_latency_ms_check CHECK ((latency_ms >= 0)),
    CONSTRAINT chat_review_signal_runs_recency_window_days_check CHECK ((recency_window_days >= 0)),
    CONSTRAINT chat_review_signal_runs_sample_review_count_check CHECK ((sample_review_count >= 0)),
    CONSTRAINT chat_review_signal_runs_source_freshness_seconds_check CHECK ((source_freshness_seconds >= 0)),
    CONSTRAINT chat_review_signal_runs_source_name_check CHECK ((source_name = 'reviews'::text)),
    CONSTRAINT chat_review_signal_runs_status_check CHECK ((status = ANY (ARRAY['ok'::text, 'error'::text, 'timeout'::text, 'stale'::text]))),
    CONSTRAINT chat_review_signal_runs_turn_index_check CHECK ((turn_index >= 0)),
    CONSTRAINT values_are_readable CHECK (((NOT (signal_scores_json @? 'strict $.**{33}'::jsonpath)) AND (NOT (signal_scores_json @? 'strict $.**?(@ >= 10000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000 || @ <= -10000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000)'::jsonpath))))
);

ALTER TABLE ONLY ledger.chat_review_signal_runs FORCE ROW LEVEL SECURITY;

CREATE SEQUENCE ledger.chat_review_signal_runs_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE ledger.chat_review_signal_runs_id_seq OWNED BY ledger.chat_review_signal_runs.id;

CREATE TABLE ledger.chat_session_memory (
    space_id integer DEFAULT core.entered() NOT NULL,
    id bigint DEFAULT nextval('ledger.chat_memory_events_id_seq'::regclass) NOT NULL,
    session_id uuid NOT NULL,
    memory_namespace text NOT NULL,
    memory_key text NOT NULL,
    value_json jsonb NOT NULL,
    value_source text NOT NULL,
    assumed boolean DEFAULT false NOT NULL,
    confidence_cap text DEFAULT 'none'::text NOT NULL,
    source_turn_index integer NOT NULL,
    source_event_id bigint,
    first_set_at timestamp with time zone DEFAULT now() NOT NULL,
    last_updated_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT chat_session_memory_confidence_cap_check CHECK ((confidence_cap = ANY (ARRAY['none'::text, 'medium'::text, 'low'::text]))),
    CONSTRAINT chat_session_memory_memory_namespace_check CHECK ((memory_namespace = ANY (ARRAY['baseline'::text, 'location'::text, 'preference'::text, 'constraint'::text, 'system'::text, 'other'::text]))),
    CONSTRAINT chat_session_memory_value_source_check CHECK ((value_source = ANY (ARRAY['explicit'::text, 'assumed'::text, 'inferred'::text, 'default'::text]))),
    CONSTRAINT numbers_are_readable CHECK ((NOT (value_json @? 'strict $.**?(@ >= 10000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000 || @ <= -10000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000)'::jsonpath))),
    CONSTRAINT values_are_readable CHECK (((pg_column_size(value_json) < 264) OR (NOT (value_json @? 'strict $.**{33}'::jsonpath))))
)
WITH (fillfactor='80');

ALTER TABLE ONLY ledger.chat_session_memory FORCE ROW LEVEL SECURITY;

CREATE TABLE ledger.session_details (
    space_id integer DEFAULT core.entered() NOT NULL,
    session_id uuid NOT NULL,
    started_at timestamp with time zone,
    ended_at timestamp with time zone,
    status text DEFAULT 'active'::text NOT NULL,
    card_type text DEFAULT 'none'::text NOT NULL,
    location_count smallint DEFAULT 0 NOT NULL,
    model text DEFAULT 'unknown'::text NOT NULL,
    prompt_version text DEFAULT 'unknown'::text NOT NULL,
    rule_version text DEFAULT 'unknown'::text NOT NULL,
    trace_id text,
    first_insight_latency_ms integer,
    had_fallback boolean DEFAULT false NOT NULL,
    meta jsonb DEFAULT '{}'::jsonb NOT NULL,
    CONSTRAINT session_details_card_type_check CHECK ((card_type = ANY (ARRAY['staffing'::text, 'risk'::text, 'opportunity'::text, 'none'::text]))),
    CONSTRAINT session_details_first_insight_latency_ms_check CHECK ((first_insight_latency_ms >= 0)),
    CONSTRAINT session_details_location_count_check CHECK (((location_count >= 0) AND (location_count <= 3))),
    CONSTRAINT session_details_status_check CHECK ((status = ANY (ARRAY['active'::text, 'ended'::text, 'error'::text]))),
    CONSTRAINT values_are_readable CHECK (((NOT (meta @? 'strict $.**{33}'::jsonpath)) AND (NOT (meta @? 'strict $.**?(@ >= 10000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000 || @ <= -10000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000)'::jsonpath))))
);

ALTER TABLE ONLY ledger.session_details FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN ledger.session_details.started_at IS 'Where it was told; else it is the time of the first message.';

CREATE VIEW ledger.chat_sessions WITH (security_invoker='true') AS
 SELECT s.uid AS id,
    COALESCE(d.started_at, s.started_at, s.created_at) AS started_at,
    d.ended_at,
    COALESCE(d.status, 'active'::text) AS status,
    COALESCE(d.card_type, 'none'::text) AS card_type,
    COALESCE(d.location_count, (0)::smallint) AS location_count,
    COALESCE(d.model, 'unknown'::text) AS model,
    COALESCE(d.prompt_version, 'unknown'::text) AS prompt_version,
    COALESCE(d.rule_version, 'unknown'::text) AS rule_version,
    COALESCE(s.distinct_id, NULLIF(s.belongs_to, ''::text)) AS distinct_id,
    d.trace_id,
    d.first_insight_latency_ms,
    COALESCE(d.had_fallback, false) AS had_fallback,
    COALESCE(d.meta, '{}'::jsonb) AS meta,
    s.name
   FROM (core.sessions s
     LEFT JOIN ledger.session_details d ON (((d.space_id = s.space_id) AND (d.session_id = s.uid))));

COMMENT ON VIEW ledger.chat_sessions IS 'Every session of the record, with what the ledger knows of it; name is the id that the caller gave.';

CREATE VIEW ledger.chat_tool_calls WITH (security_invoker='true') AS
 SELECT c.id,
    s.uid AS session_id,
    c.message_id,
    c.turn_index,
    c.tool_name,
    c.source_name,
    c.args_json,
    c.result_json,
    c.status,
    c.latency_ms,
    c.cache_hit,
    c.source_freshness_seconds,
    c.error_code,
    c.created_at
   FROM (core.tool_calls c
     JOIN core.sessions s ON (((s.space_id = c.space_id) AND (s.id = c.session_id))))
  WHERE (c.source_name = ANY (ARRAY['geocode'::text, 'weather'::text, 'events'::text, 'closures'::text, 'doe'::text, 'reviews'::text, 'memory'::text]));

COMMENT ON VIEW ledger.chat_tool_calls IS 'The tools that asked one of the sources that the ledger knows.';

CREATE TABLE ledger.chat_user_preferences (
    space_id integer DEFAULT core.entered() NOT NULL,
    id bigint DEFAULT nextval('ledger.chat_memory_events_id_seq'::regclass) NOT NULL,
    distinct_id text NOT NULL,
    preference_namespace text NOT NULL,
    preference_key text NOT NULL,
    value_json jsonb NOT NULL,
    value_source text NOT NULL,
    last_session_id uuid,
    first_set_at timestamp with time zone DEFAULT now() NOT NULL,
    last_updated_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    assumed boolean DEFAULT false NOT NULL,
    confidence_cap text DEFAULT 'none'::text NOT NULL,
    source_event_id bigint,
    CONSTRAINT chat_user_preferences_confidence_cap_check CHECK ((confidence_cap = ANY (ARRAY['none'::text, 'medium'::text, 'low'::text]))),
    CONSTRAINT chat_user_preferences_distinct_id_check CHECK (((char_length(distinct_id) >= 1) AND (char_length(distinct_id) <= 512))),
    CONSTRAINT chat_user_preferences_preference_namespace_check CHECK ((preference_namespace = ANY (ARRAY['baseline'::text, 'ui'::text, 'workflow'::text, 'other'::text]))),
    CONSTRAINT chat_user_preferences_value_source_check CHECK ((value_source = ANY (ARRAY['explicit'::text, 'inferred'::text, 'default'::text]))),
    CONSTRAINT numbers_are_readable CHECK ((NOT (value_json @? 'strict $.**?(@ >= 10000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000 || @ <= -10000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000)'::jsonpath))),
    CONSTRAINT values_are_readable CHECK (((pg_column_size(value_json) < 264) OR (NOT (value_json @? 'strict $.**{33}'::jsonpath))))
)
WITH (fillfactor='80');

ALTER TABLE ONLY ledger.chat_user_preferences FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN ledger.chat_user_preferences.value_source IS 'default, with assumed true, where it was assumed.';

CREATE VIEW ledger.evidence_coverage WITH (security_invoker='true') AS
 SELECT space_id,
    ((created_at AT TIME ZONE 'UTC'::text))::date AS day,
    source_name,
    rule_version,
    count(*) AS recommendations,
    count(*) FILTER (WHERE (evidence_count > 0)) AS with_evidence,
    count(*) FILTER (WHERE review_backed) AS review_backed,
    sum(evidence_count) AS evidence,
    count(*) FILTER (WHERE (confidence = 'high'::text)) AS high,
    count(*) FILTER (WHERE (confidence = 'medium'::text)) AS medium,
    count(*) FILTER (WHERE (confidence = 'low'::text)) AS low,
    round(avg(((evidence_count > 0))::integer), 3) AS coverage
   FROM ledger.chat_recommendations
  GROUP BY space_id, (((created_at AT TIME ZONE 'UTC'::text))::date), source_name, rule_version;

COMMENT ON VIEW ledger.evidence_coverage IS 'Recommendations by day, source and rules; coverage is the share of those that have evidence.';

CREATE VIEW ledger.evidence_recency WITH (security_invoker='true') AS
 SELECT e.space_id,
    ((r.created_at AT TIME ZONE 'UTC'::text))::date AS day,
    e.entity_type,
    e.place_id,
    e.theme,
    count(*) AS reviews,
    min(e.review_publish_at) AS oldest_at,
    max(e.review_publish_at) AS newest_at,
    round(((percentile_cont((0.5)::double precision) WITHIN GROUP (ORDER BY ((EXTRACT(epoch FROM (r.created_at - e.review_publish_at)))::double precision)) / (86400)::double precision))::numeric, 1) AS median_age_days
   FROM (ledger.chat_recommendation_evidence e
     JOIN ledger.chat_recommendations r ON (((r.space_id = e.space_id) AND (r.id = e.recommendation_id))))
  WHERE (e.source_name = 'reviews'::text)
  GROUP BY e.space_id, (((r.created_at AT TIME ZONE 'UTC'::text))::date), e.entity_type, e.place_id, e.theme;

COMMENT ON VIEW ledger.evidence_recency IS 'How old reviews were when a recommendation was made of them.';

CREATE TABLE ledger.filing_marks (
    space_id integer DEFAULT core.entered() NOT NULL,
    event_id bigint DEFAULT 0 NOT NULL,
    evidence_id bigint DEFAULT 0 NOT NULL,
    expired_until timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL
);

ALTER TABLE ONLY ledger.filing_marks FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE ledger.filing_marks IS 'The index knows what stood after the event of that number.';

COMMENT ON COLUMN ledger.filing_marks.expired_until IS 'What expired until then is out of the index.';

CREATE VIEW ledger.first_insight WITH (security_invoker='true') AS
 SELECT s.space_id,
    ((COALESCE(d.started_at, s.started_at, s.created_at) AT TIME ZONE 'UTC'::text))::date AS day,
    count(*) AS sessions,
    count(*) FILTER (WHERE d.had_fallback) AS with_fallback,
    round(avg((d.had_fallback)::integer), 3) AS fallback_rate,
    percentile_disc((0.5)::double precision) WITHIN GROUP (ORDER BY d.first_insight_latency_ms) AS p50_latency_ms,
    percentile_disc((0.95)::double precision) WITHIN GROUP (ORDER BY d.first_insight_latency_ms) AS p95_latency_ms
   FROM (core.sessions s
     JOIN ledger.session_details d ON (((d.space_id = s.space_id) AND (d.session_id = s.uid))))
  GROUP BY s.space_id, (((COALESCE(d.started_at, s.started_at, s.created_at) AT TIME ZONE 'UTC'::text))::date);

COMMENT ON VIEW ledger.first_insight IS 'How soon sessions had a first answer worth having, and how many fell back.';

CREATE TABLE ledger.shapes (
    space_id integer DEFAULT core.entered() NOT NULL,
    pattern text NOT NULL,
    namespace text NOT NULL,
    scope text,
    shape jsonb NOT NULL,
    version bigint NOT NULL,
    registered_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT numbers_are_readable CHECK ((NOT (shape @? 'strict $.**?(@ >= 10000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000 || @ <= -10000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000)'::jsonpath))),
    CONSTRAINT shapes_namespace_check CHECK ((namespace = ANY (ARRAY['baseline'::text, 'location'::text, 'preference'::text, 'constraint'::text, 'system'::text, 'other'::text]))),
    CONSTRAINT shapes_pattern_check CHECK (((char_length(pattern) >= 1) AND (char_length(pattern) <= 200))),
    CONSTRAINT shapes_scope_check CHECK ((scope = ANY (ARRAY['session'::text, 'cross_session'::text]))),
    CONSTRAINT shapes_shape_check CHECK ((jsonb_typeof(shape) = 'object'::text)),
    CONSTRAINT values_are_readable CHECK (((pg_column_size(shape) < 264) OR (NOT (shape @? 'strict $.**{33}'::jsonpath))))
);

ALTER TABLE ONLY ledger.shapes FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE ledger.shapes IS 'The keys that programs registered, and the shapes of their values.';

COMMENT ON COLUMN ledger.shapes.pattern IS 'A key, or one with placeholders: baseline.foh.{locationLabel}.{daypart}.';

COMMENT ON COLUMN ledger.shapes.scope IS 'Null: as the caller says.';

COMMENT ON COLUMN ledger.shapes.shape IS 'JSON Schema.';

COMMENT ON COLUMN ledger.shapes.version IS 'Higher than all before, whenever the row is written.';

CREATE SEQUENCE ledger.shapes_version_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE ledger.shapes_version_seq OWNED BY ledger.shapes.version;

CREATE TABLE ledger.source_runs (
    space_id integer DEFAULT core.entered() NOT NULL,
    id bigint NOT NULL,
    source_name text NOT NULL,
    run_started_at timestamp with time zone NOT NULL,
    run_finished_at timestamp with time zone,
    status text NOT NULL,
    items_fetched integer,
    latest_record_at timestamp with time zone,
    error_message text,
    CONSTRAINT source_runs_check CHECK ((run_finished_at >= run_started_at)),
    CONSTRAINT source_runs_items_fetched_check CHECK ((items_fetched >= 0)),
    CONSTRAINT source_runs_source_name_check CHECK ((source_name = ANY (ARRAY['weather'::text, 'events'::text, 'closures'::text, 'doe'::text, 'reviews'::text]))),
    CONSTRAINT source_runs_status_check CHECK ((status = ANY (ARRAY['ok'::text, 'error'::text, 'partial'::text])))
);

ALTER TABLE ONLY ledger.source_runs FORCE ROW LEVEL SECURITY;

CREATE VIEW ledger.source_recency WITH (security_invoker='true') AS
 SELECT r.space_id,
    r.source_name,
    max(r.at) AS asked_at,
    max(r.at) FILTER (WHERE (r.status = 'ok'::text)) AS answered_at,
    max(r.record_at) AS latest_record_at,
    s.stale_after_seconds,
    COALESCE(((now() - max(r.record_at)) > ((s.stale_after_seconds)::double precision * '00:00:01'::interval)), true) AS stale
   FROM (( SELECT tool_calls.space_id,
            tool_calls.created_at AS at,
            tool_calls.source_name,
            tool_calls.status,
                CASE
                    WHEN (tool_calls.status = ANY (ARRAY['ok'::text, 'stale'::text])) THEN (tool_calls.created_at - ((COALESCE(tool_calls.source_freshness_seconds, 0))::double precision * '00:00:01'::interval))
                    ELSE NULL::timestamp with time zone
                END AS record_at
           FROM core.tool_calls
          WHERE (tool_calls.source_name IS NOT NULL)
        UNION ALL
         SELECT chat_review_signal_runs.space_id,
            chat_review_signal_runs.created_at,
            chat_review_signal_runs.source_name,
            chat_review_signal_runs.status,
                CASE
                    WHEN (chat_review_signal_runs.status = ANY (ARRAY['ok'::text, 'stale'::text])) THEN (chat_review_signal_runs.created_at - ((COALESCE(chat_review_signal_runs.source_freshness_seconds, 0))::double precision * '00:00:01'::interval))
                    ELSE NULL::timestamp with time zone
                END AS "case"
           FROM ledger.chat_review_signal_runs
        UNION ALL
         SELECT source_runs.space_id,
            source_runs.run_started_at,
            source_runs.source_name,
            source_runs.status,
                CASE
                    WHEN (source_runs.status <> 'error'::text) THEN COALESCE(source_runs.latest_record_at, source_runs.run_finished_at)
                    ELSE NULL::timestamp with time zone
                END AS "case"
           FROM ledger.source_runs) r
     JOIN ( VALUES ('weather'::text,21600), ('events'::text,86400), ('closures'::text,43200), ('reviews'::text,259200), ('doe'::text,604800)) s(source_name, stale_after_seconds) ON ((s.source_name = r.source_name)))
  GROUP BY r.space_id, r.source_name, s.stale_after_seconds;

COMMENT ON VIEW ledger.source_recency IS 'How old the latest that each source gave is now, and whether that is too old.';

CREATE VIEW ledger.source_reliability WITH (security_invoker='true') AS
 SELECT space_id,
    ((at AT TIME ZONE 'UTC'::text))::date AS day,
    source_name,
    asked_by,
    count(*) AS runs,
    count(*) FILTER (WHERE (status = 'ok'::text)) AS ok,
    count(*) FILTER (WHERE (status = 'stale'::text)) AS stale,
    count(*) FILTER (WHERE (status = 'error'::text)) AS error,
    count(*) FILTER (WHERE (status = 'timeout'::text)) AS timeout,
    count(*) FILTER (WHERE cache_hit) AS cache_hits,
    percentile_disc((0.5)::double precision) WITHIN GROUP (ORDER BY latency_ms) AS p50_latency_ms,
    percentile_disc((0.95)::double precision) WITHIN GROUP (ORDER BY latency_ms) AS p95_latency_ms,
    round(avg(((status = 'ok'::text))::integer), 3) AS reliability
   FROM ( SELECT tool_calls.space_id,
            tool_calls.created_at AS at,
            tool_calls.source_name,
            'tool_call'::text AS asked_by,
            tool_calls.status,
            tool_calls.cache_hit,
            (tool_calls.latency_ms)::bigint AS latency_ms
           FROM core.tool_calls
          WHERE (tool_calls.source_name IS NOT NULL)
        UNION ALL
         SELECT chat_review_signal_runs.space_id,
            chat_review_signal_runs.created_at,
            chat_review_signal_runs.source_name,
            'signal_run'::text,
            chat_review_signal_runs.status,
            chat_review_signal_runs.cache_hit,
            chat_review_signal_runs.latency_ms
           FROM ledger.chat_review_signal_runs
        UNION ALL
         SELECT source_runs.space_id,
            source_runs.run_started_at,
            source_runs.source_name,
            'source_run'::text,
                CASE source_runs.status
                    WHEN 'partial'::text THEN 'stale'::text
                    ELSE source_runs.status
                END AS status,
            false,
            ((EXTRACT(epoch FROM (source_runs.run_finished_at - source_runs.run_started_at)) * (1000)::numeric))::bigint AS int8
           FROM ledger.source_runs) r
  GROUP BY space_id, (((at AT TIME ZONE 'UTC'::text))::date), source_name, asked_by;

COMMENT ON VIEW ledger.source_reliability IS 'How sources answered, by day and by what asked them: a tool call, a reading of reviews, or a run that fetches ahead.';

CREATE SEQUENCE ledger.source_runs_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE ledger.source_runs_id_seq OWNED BY ledger.source_runs.id;

CREATE TABLE longterm.audit (
    space_id integer DEFAULT core.entered() NOT NULL,
    id bigint NOT NULL,
    at timestamp with time zone NOT NULL,
    act text NOT NULL,
    outcome text NOT NULL,
    trouble text,
    user_name text,
    session text,
    message text,
    evaluator text,
    took_ms integer NOT NULL,
    tokens integer DEFAULT 0 NOT NULL,
    counts jsonb DEFAULT '{}'::jsonb NOT NULL,
    CONSTRAINT audit_act_check CHECK ((act = ANY (ARRAY['recover'::text, 'evaluate'::text]))),
    CONSTRAINT audit_outcome_check CHECK ((outcome = ANY (ARRAY['found'::text, 'nothing'::text, 'timeout'::text, 'failed'::text, 'done'::text]))),
    CONSTRAINT audit_tokens_check CHECK ((tokens >= 0)),
    CONSTRAINT audit_took_ms_check CHECK ((took_ms >= 0)),
    CONSTRAINT audit_trouble_check CHECK ((char_length(trouble) <= 1000))
);

ALTER TABLE ONLY longterm.audit FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN longterm.audit.message IS 'The message that was answered, or the last that was evaluated: the caller''s own id.';

ALTER TABLE longterm.audit ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME longterm.audit_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE longterm.audit_memories (
    space_id integer DEFAULT core.entered() NOT NULL,
    audit_id bigint NOT NULL,
    place integer NOT NULL,
    memory_id uuid NOT NULL,
    action text NOT NULL,
    score real,
    parts jsonb,
    reason text,
    CONSTRAINT audit_memories_action_check CHECK ((action = ANY (ARRAY['recalled'::text, 'injected'::text, 'included'::text, 'restated'::text, 'revived'::text, 'edited'::text, 'archived'::text, 'kept'::text]))),
    CONSTRAINT audit_memories_place_check CHECK ((place >= 0)),
    CONSTRAINT audit_memories_reason_check CHECK ((char_length(reason) <= 1000)),
    CONSTRAINT audit_memories_score_check CHECK (((score >= (0)::double precision) AND (score <= (1)::double precision)))
);

ALTER TABLE ONLY longterm.audit_memories FORCE ROW LEVEL SECURITY;

CREATE TABLE longterm.evaluations (
    space_id integer DEFAULT core.entered() NOT NULL,
    session_id bigint NOT NULL,
    evaluator text NOT NULL,
    version integer NOT NULL,
    message_id bigint DEFAULT 0 NOT NULL,
    turns integer DEFAULT 0 NOT NULL,
    evaluated_at timestamp with time zone NOT NULL,
    trouble text,
    CONSTRAINT evaluations_evaluator_check CHECK (((char_length(evaluator) >= 1) AND (char_length(evaluator) <= 512))),
    CONSTRAINT evaluations_turns_check CHECK ((turns >= 0)),
    CONSTRAINT evaluations_version_check CHECK ((version > 0))
);

ALTER TABLE ONLY longterm.evaluations FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN longterm.evaluations.message_id IS 'The last message that was evaluated; turns counts those of the user.';

CREATE TABLE longterm.history (
    space_id integer DEFAULT core.entered() NOT NULL,
    id bigint NOT NULL,
    memory_id uuid NOT NULL,
    version integer NOT NULL,
    act text NOT NULL,
    category text NOT NULL,
    importance longterm.importance NOT NULL,
    summary text NOT NULL,
    details text,
    changed_at timestamp with time zone NOT NULL,
    changed_by text NOT NULL,
    reason text,
    CONSTRAINT history_act_check CHECK ((act = ANY (ARRAY['edit'::text, 'restate'::text, 'archive'::text, 'revive'::text, 'revert'::text]))),
    CONSTRAINT history_changed_by_check CHECK (((char_length(changed_by) >= 1) AND (char_length(changed_by) <= 512))),
    CONSTRAINT history_version_check CHECK ((version > 0))
);

ALTER TABLE ONLY longterm.history FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN longterm.history.version IS 'The version that read so; archiving and reviving leave it as it is.';

ALTER TABLE longterm.history ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME longterm.history_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE longterm.long_term_memory (
    space_id integer DEFAULT core.entered() NOT NULL,
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    category text NOT NULL,
    importance longterm.importance NOT NULL,
    summary text NOT NULL,
    details text,
    hash text NOT NULL,
    source text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    last_accessed_at timestamp with time zone,
    access_count integer DEFAULT 0 NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    archived boolean DEFAULT false NOT NULL,
    user_name text,
    session text,
    happened_at timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    stated_count integer DEFAULT 1 NOT NULL,
    entry_id bigint,
    valid_from timestamp with time zone,
    valid_until timestamp with time zone,
    told_until timestamp with time zone,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    agent_id text,
    app_id text,
    run_id text,
    CONSTRAINT long_term_memory_access_count_check CHECK ((access_count >= 0)),
    CONSTRAINT long_term_memory_category_check CHECK ((category = ANY (ARRAY['preference'::text, 'project'::text, 'identity'::text, 'constraint'::text, 'context'::text, 'personal_data'::text, 'languages'::text, 'favorite_things'::text, 'relationships'::text, 'pets'::text, 'naming'::text, 'professional_profile'::text]))),
    CONSTRAINT long_term_memory_check CHECK ((NOT (archived AND (entry_id IS NOT NULL)))),
    CONSTRAINT long_term_memory_details_check CHECK (((char_length(details) >= 1) AND (char_length(details) <= 20000))),
    CONSTRAINT long_term_memory_hash_check CHECK ((hash ~ '^[0-9a-f]{64}$'::text)),
    CONSTRAINT long_term_memory_metadata_check CHECK ((jsonb_typeof(metadata) = 'object'::text)),
    CONSTRAINT long_term_memory_session_check CHECK (((char_length(session) >= 1) AND (char_length(session) <= 512))),
    CONSTRAINT long_term_memory_source_check CHECK (((char_length(source) >= 1) AND (char_length(source) <= 512))),
    CONSTRAINT long_term_memory_stated_count_check CHECK ((stated_count >= 0)),
    CONSTRAINT long_term_memory_summary_check CHECK (((char_length(summary) >= 1) AND (char_length(summary) <= 4000))),
    CONSTRAINT long_term_memory_user_name_check CHECK (((char_length(user_name) >= 1) AND (char_length(user_name) <= 512))),
    CONSTRAINT long_term_memory_version_check CHECK ((version > 0))
);

ALTER TABLE ONLY longterm.long_term_memory FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN longterm.long_term_memory.hash IS 'SHA-256 of the normalised summary; unique among the live memories of a user.';

COMMENT ON COLUMN longterm.long_term_memory.access_count IS 'How often it was put into a prompt; within an hour counts once.';

COMMENT ON COLUMN longterm.long_term_memory.version IS 'Grows with every change of what it says; see longterm.history.';

COMMENT ON COLUMN longterm.long_term_memory.user_name IS 'Whom it is about; null: it holds for everybody in the space.';

COMMENT ON COLUMN longterm.long_term_memory.happened_at IS 'When it was first said as it reads now.';

COMMENT ON COLUMN longterm.long_term_memory.stated_count IS 'How often it was said.';

COMMENT ON COLUMN longterm.long_term_memory.entry_id IS 'Its entry in core.recall_entries; archived ones have none.';

COMMENT ON COLUMN longterm.long_term_memory.valid_from IS 'Since when it holds; null: since happened_at.';

COMMENT ON COLUMN longterm.long_term_memory.valid_until IS 'When it ceased to hold; null: it holds. The earlier of told_until and what core.relations say.';

COMMENT ON COLUMN longterm.long_term_memory.told_until IS 'When it ceased to hold, as who wrote it said.';

COMMENT ON COLUMN longterm.long_term_memory.metadata IS 'What else is known of it; filters ask for it. Its changes are no versions.';

COMMENT ON COLUMN longterm.long_term_memory.agent_id IS 'Of the metadata, as app_id and run_id; a trigger keeps it so.';

ALTER TABLE longterm.sources ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME longterm.sources_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE UNLOGGED TABLE queue.saq_jobs (
    key text NOT NULL,
    lock_key integer NOT NULL,
    job bytea NOT NULL,
    queue text NOT NULL,
    status text NOT NULL,
    priority smallint DEFAULT 0 NOT NULL,
    group_key text,
    scheduled bigint DEFAULT EXTRACT(epoch FROM now()) NOT NULL,
    expire_at bigint
);

CREATE UNLOGGED SEQUENCE queue.saq_jobs_lock_key_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE queue.saq_jobs_lock_key_seq OWNED BY queue.saq_jobs.lock_key;

CREATE UNLOGGED TABLE queue.saq_stats (
    worker_id text NOT NULL,
    stats jsonb,
    expire_at bigint,
    metadata jsonb,
    queue_key text
);

CREATE TABLE tables.dirty_rows (
    space_id integer DEFAULT core.current_space() NOT NULL,
    schema_id integer NOT NULL,
    id bigint NOT NULL,
    relation_id integer NOT NULL,
    source_id text,
    noted_at timestamp with time zone DEFAULT now() NOT NULL
);
ALTER TABLE ONLY tables.dirty_rows ALTER COLUMN source_id SET STATISTICS 0;

ALTER TABLE ONLY tables.dirty_rows FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE tables.dirty_rows IS 'Rows that changed and that the index has not followed yet.';

COMMENT ON COLUMN tables.dirty_rows.source_id IS 'Null: any row of the table may have changed.';

ALTER TABLE tables.dirty_rows ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME tables.dirty_rows_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE tables.discarded_roles (
    role text NOT NULL
);

COMMENT ON TABLE tables.discarded_roles IS 'Roles of schemas that are gone; whoever may drop roles drops them.';

CREATE TABLE tables.embeddings (
    space_id integer DEFAULT core.current_space() NOT NULL,
    schema_id integer NOT NULL,
    relation_id integer NOT NULL,
    source_id text NOT NULL,
    field_name text NOT NULL,
    chunk_index integer DEFAULT 0 NOT NULL,
    entry_id bigint NOT NULL,
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    content_hash character varying(64) NOT NULL,
    field_hash character varying(64) NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT embeddings_chunk_index_check CHECK ((chunk_index >= 0)),
    CONSTRAINT embeddings_entry_id_check CHECK ((entry_id < 0))
);
ALTER TABLE ONLY tables.embeddings ALTER COLUMN source_id SET STATISTICS 0;
ALTER TABLE ONLY tables.embeddings ALTER COLUMN field_name SET STATISTICS 0;
ALTER TABLE ONLY tables.embeddings ALTER COLUMN content_hash SET STATISTICS 0;
ALTER TABLE ONLY tables.embeddings ALTER COLUMN field_hash SET STATISTICS 0;
ALTER TABLE ONLY tables.embeddings ALTER COLUMN created_at SET STATISTICS 0;
ALTER TABLE ONLY tables.embeddings ALTER COLUMN updated_at SET STATISTICS 0;

ALTER TABLE ONLY tables.embeddings FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE tables.embeddings IS 'What each entry of the index stands for; the view embeddings of each schema shows it.';

COMMENT ON COLUMN tables.embeddings.source_id IS 'The primary key as text; a JSON array of texts where it has several columns.';

COMMENT ON COLUMN tables.embeddings.chunk_index IS '0: the whole field; a longer field has its parts, 1 and on, and no 0.';

COMMENT ON COLUMN tables.embeddings.content_hash IS 'SHA-256 of the content of the entry.';

COMMENT ON COLUMN tables.embeddings.field_hash IS 'SHA-256 of the whole field as the table has it.';

CREATE TABLE tables.following (
    space_id integer DEFAULT core.current_space() NOT NULL,
    schema_id integer NOT NULL
);

ALTER TABLE ONLY tables.following FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE tables.following IS 'Held by whoever has the index follow a schema.';

CREATE TABLE tables.grants (
    space_id integer DEFAULT core.current_space() NOT NULL,
    schema_id integer NOT NULL,
    agent text NOT NULL,
    permission text NOT NULL,
    granted_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT grants_agent_check CHECK (((char_length(agent) >= 1) AND (char_length(agent) <= 512))),
    CONSTRAINT grants_permission_check CHECK ((permission = ANY (ARRAY['read'::text, 'write'::text, 'admin'::text])))
);

ALTER TABLE ONLY tables.grants FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN tables.grants.permission IS 'read: query and list; write: insert, update and delete as well; admin: change the structure as well.';

CREATE TABLE tables.kept_vectors (
    space_id integer DEFAULT core.current_space() NOT NULL,
    schema_id integer NOT NULL,
    content_hash character varying(64) NOT NULL,
    generation smallint NOT NULL,
    vector public.halfvec NOT NULL
);

ALTER TABLE ONLY tables.kept_vectors FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE tables.kept_vectors IS 'Of a snapshot that was restored, until the index has followed its rows.';

CREATE TABLE tables.passwords (
    space_id integer DEFAULT core.current_space() NOT NULL,
    schema_id integer NOT NULL,
    writer_password text NOT NULL,
    reader_password text NOT NULL
);

ALTER TABLE ONLY tables.passwords FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE tables.passwords IS 'Of the login roles of schemas. Only quipu_owner reads it.';

CREATE TABLE tables.relations (
    space_id integer NOT NULL,
    schema_id integer NOT NULL,
    relation oid NOT NULL,
    table_name text NOT NULL,
    description text,
    columns jsonb NOT NULL,
    key text[] NOT NULL,
    fields text[] NOT NULL,
    id integer NOT NULL,
    watched text
);
ALTER TABLE ONLY tables.relations ALTER COLUMN table_name SET STATISTICS 0;

ALTER TABLE ONLY tables.relations FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE tables.relations IS 'What tables.settle() saw last.';

COMMENT ON COLUMN tables.relations.columns IS 'Number of each column to its name.';

COMMENT ON COLUMN tables.relations.key IS 'Columns of the primary key, in its order; empty where there is none.';

COMMENT ON COLUMN tables.relations.fields IS 'Columns that are embedded: of embeddable_fields of the registry, those that are there.';

COMMENT ON COLUMN tables.relations.watched IS 'What its triggers and its storage were like when they were last looked at.';

ALTER TABLE tables.relations ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME tables.relations_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE tables.schemas (
    space_id integer DEFAULT core.current_space() NOT NULL,
    id integer NOT NULL,
    name text NOT NULL,
    schema_name text NOT NULL,
    description text,
    writer text NOT NULL,
    reader text NOT NULL,
    version bigint DEFAULT 0 NOT NULL,
    fingerprint text DEFAULT ''::text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT schemas_name_check CHECK ((name ~ '^[a-z][a-z0-9_]{0,29}$'::text)),
    CONSTRAINT schemas_schema_name_check CHECK (((schema_name ~ '^memory(_[a-z][a-z0-9_]*)?$'::text) AND (char_length(schema_name) < 64)))
);

ALTER TABLE ONLY tables.schemas FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN tables.schemas.name IS 'What it is called in its space: memory, or a short name.';

COMMENT ON COLUMN tables.schemas.schema_name IS 'What it is called in SQL: names of schemas are shared by all spaces of a database.';

COMMENT ON COLUMN tables.schemas.version IS 'Counts the changes of its structure; whoever keeps something made of it compares this.';

COMMENT ON COLUMN tables.schemas.fingerprint IS 'Of its tables, columns, descriptions and indexes, as of the version.';

ALTER TABLE tables.schemas ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME tables.schemas_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE transcripts.discarded_readers (
    role text NOT NULL
);

COMMENT ON TABLE transcripts.discarded_readers IS 'Logins of spaces that are gone; whoever may drop roles drops them.';

CREATE TABLE transcripts.files (
    space_id integer DEFAULT core.entered() NOT NULL,
    path text NOT NULL,
    size_bytes bigint NOT NULL,
    offset_bytes bigint NOT NULL,
    prefix_sha256 bytea NOT NULL,
    modified_at timestamp with time zone NOT NULL,
    synced_at timestamp with time zone DEFAULT now() NOT NULL,
    lines bigint DEFAULT 0 NOT NULL,
    trouble text,
    CONSTRAINT files_lines_check CHECK ((lines >= 0)),
    CONSTRAINT files_offset_bytes_check CHECK ((offset_bytes >= 0)),
    CONSTRAINT files_size_bytes_check CHECK ((size_bytes >= 0))
);

ALTER TABLE ONLY transcripts.files FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE transcripts.files IS 'How far each file was read; shown as transcripts.sync_state.';

COMMENT ON COLUMN transcripts.files.size_bytes IS 'How large it was when all of it was read; until then, how much was.';

COMMENT ON COLUMN transcripts.files.prefix_sha256 IS 'Of what was read: where it differs, the file was rewritten and is read again.';

CREATE TABLE transcripts.indexing (
    space_id integer DEFAULT core.entered() NOT NULL,
    indexed_to bigint DEFAULT 0 NOT NULL,
    settled_to bigint DEFAULT 0 NOT NULL
);

ALTER TABLE ONLY transcripts.indexing FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN transcripts.indexing.indexed_to IS 'Lines up to this id have their texts in the index, but for those in transcripts.unindexed.';

COMMENT ON COLUMN transcripts.indexing.settled_to IS 'No line up to this id can still come: whoever wrote one then has ended.';

ALTER TABLE transcripts.lines ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME transcripts.lines_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE transcripts.memories (
    space_id integer DEFAULT core.entered() NOT NULL,
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    session_id text,
    fact text NOT NULL,
    category text,
    confidence real,
    created_at timestamp with time zone DEFAULT now(),
    updated_at timestamp with time zone DEFAULT now(),
    status text DEFAULT 'active'::text NOT NULL,
    origin text DEFAULT 'manual'::text NOT NULL,
    project_path text DEFAULT ''::text NOT NULL,
    extractor text,
    extractor_version integer,
    normal_form bytea,
    happened_at timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    edited_at timestamp with time zone,
    confirmed_at timestamp with time zone,
    used_at timestamp with time zone,
    uses integer DEFAULT 0 NOT NULL,
    entry_id bigint,
    valid_from timestamp with time zone,
    valid_until timestamp with time zone,
    told_until timestamp with time zone,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    CONSTRAINT memories_category_check CHECK ((category ~ '^[a-z][a-z0-9_ -]{0,63}$'::text)),
    CONSTRAINT memories_confidence_check CHECK (((confidence >= (0)::double precision) AND (confidence <= (1)::double precision))),
    CONSTRAINT memories_extractor_version_check CHECK ((extractor_version > 0)),
    CONSTRAINT memories_fact_check CHECK (((char_length(fact) >= 1) AND (char_length(fact) <= 10000))),
    CONSTRAINT memories_metadata_check CHECK ((jsonb_typeof(metadata) = 'object'::text)),
    CONSTRAINT memories_origin_check CHECK ((origin = ANY (ARRAY['manual'::text, 'extracted'::text, 'imported'::text]))),
    CONSTRAINT memories_status_check CHECK ((status = ANY (ARRAY['active'::text, 'archived'::text]))),
    CONSTRAINT memories_uses_check CHECK ((uses >= 0))
);

ALTER TABLE ONLY transcripts.memories FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN transcripts.memories.confidence IS 'As it was judged; what it is today is computed from the times when it is read.';

COMMENT ON COLUMN transcripts.memories.normal_form IS 'Hash of the fact without case, articles and punctuation: the same fact has the same.';

COMMENT ON COLUMN transcripts.memories.edited_at IS 'A person changed it: extraction leaves it alone.';

COMMENT ON COLUMN transcripts.memories.entry_id IS 'Its entry in core.recall_entries; null where the index does not know it yet.';

COMMENT ON COLUMN transcripts.memories.valid_from IS 'Since when it holds; null: since happened_at.';

COMMENT ON COLUMN transcripts.memories.valid_until IS 'When it ceased to hold; null: it holds. The earlier of told_until and what core.relations say.';

COMMENT ON COLUMN transcripts.memories.told_until IS 'When it ceased to hold, as who wrote it said.';

COMMENT ON COLUMN transcripts.memories.metadata IS 'What else is known of it; filters ask for it.';

CREATE TABLE transcripts.memory_contradictions (
    space_id integer DEFAULT core.entered() NOT NULL,
    memory_id uuid NOT NULL,
    contradicted_by uuid NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ONLY transcripts.memory_contradictions FORCE ROW LEVEL SECURITY;

CREATE TABLE transcripts.memory_edits (
    space_id integer DEFAULT core.entered() NOT NULL,
    memory_id uuid NOT NULL,
    id bigint NOT NULL,
    fact text NOT NULL,
    category text,
    edited_at timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ONLY transcripts.memory_edits FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN transcripts.memory_edits.fact IS 'As it was before the edit.';

ALTER TABLE transcripts.memory_edits ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME transcripts.memory_edits_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE transcripts.memory_sources (
    space_id integer DEFAULT core.entered() NOT NULL,
    memory_id uuid NOT NULL,
    session_id text NOT NULL,
    turn_index integer NOT NULL,
    message_id bigint,
    excerpt text DEFAULT ''::text NOT NULL,
    extractor text,
    extractor_version integer,
    extracted_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT memory_sources_excerpt_check CHECK ((char_length(excerpt) <= 1000)),
    CONSTRAINT memory_sources_turn_index_check CHECK ((turn_index >= 0))
);

ALTER TABLE ONLY transcripts.memory_sources FORCE ROW LEVEL SECURITY;

CREATE TABLE transcripts.responses (
    space_id integer DEFAULT core.entered() NOT NULL,
    response_id text NOT NULL,
    line_id bigint NOT NULL,
    session_id bigint NOT NULL,
    model text,
    happened_at timestamp with time zone NOT NULL,
    input_tokens bigint DEFAULT 0 NOT NULL,
    output_tokens bigint DEFAULT 0 NOT NULL,
    cache_read_tokens bigint DEFAULT 0 NOT NULL,
    cache_creation_tokens bigint DEFAULT 0 NOT NULL,
    CONSTRAINT responses_cache_creation_tokens_check CHECK ((cache_creation_tokens >= 0)),
    CONSTRAINT responses_cache_read_tokens_check CHECK ((cache_read_tokens >= 0)),
    CONSTRAINT responses_input_tokens_check CHECK ((input_tokens >= 0)),
    CONSTRAINT responses_output_tokens_check CHECK ((output_tokens >= 0))
);

ALTER TABLE ONLY transcripts.responses FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN transcripts.responses.line_id IS 'The line that shows the tokens; a copy of it in a resumed session shows none.';

CREATE VIEW transcripts.messages WITH (security_invoker='true') AS
 SELECT l.uuid,
    s.name AS session_id,
    l.parent_uuid,
    l.type,
    l.model,
    COALESCE(m.content, l.content_text) AS content_text,
    l.blocks AS content_json,
    l.thinking,
    l.happened_at AS "timestamp",
    COALESCE(r.input_tokens, (0)::bigint) AS input_tokens,
    COALESCE(r.output_tokens, (0)::bigint) AS output_tokens,
    COALESCE(r.cache_read_tokens, (0)::bigint) AS cache_read_tokens,
    COALESCE(r.cache_creation_tokens, (0)::bigint) AS cache_creation_tokens,
    l.subtype,
    l.response_id,
    l.logical_parent_uuid,
    l.is_meta,
    l.is_sidechain,
    l.is_compact_summary,
    l.is_noise,
    l.is_prompt,
    l.cwd,
    l.git_branch,
    l.message_id,
    l.id AS line_id,
    l.space_id,
    l.session_id AS session_number
   FROM (((transcripts.lines l
     JOIN core.sessions s ON (((s.space_id = l.space_id) AND (s.id = l.session_id))))
     LEFT JOIN core.messages m ON (((m.space_id = l.space_id) AND (m.id = l.message_id))))
     LEFT JOIN transcripts.responses r ON (((r.space_id = l.space_id) AND (r.line_id = l.id))));

CREATE TABLE transcripts.prompts (
    space_id integer DEFAULT core.entered() NOT NULL,
    id bigint NOT NULL,
    session text,
    project_path text DEFAULT ''::text NOT NULL,
    happened_at timestamp with time zone NOT NULL,
    content text NOT NULL
);

ALTER TABLE ONLY transcripts.prompts FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE transcripts.prompts IS 'What was typed, from the history file: it outlives the sessions.';

ALTER TABLE transcripts.prompts ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME transcripts.prompts_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE transcripts.session_details (
    space_id integer DEFAULT core.entered() NOT NULL,
    session_id bigint NOT NULL,
    project_path text DEFAULT ''::text NOT NULL,
    cwd text,
    git_branch text,
    agent_version text,
    source text DEFAULT 'claude-code'::text NOT NULL,
    first_line_at timestamp with time zone,
    last_line_at timestamp with time zone,
    custom_title text,
    ai_title text,
    summary text,
    first_prompt text,
    last_prompt text,
    pr_url text,
    parent_session text,
    agent_type text,
    agent_description text,
    tool_use_id text,
    raw jsonb,
    last_extractor text,
    extracted boolean DEFAULT false NOT NULL,
    extraction_attempted_at timestamp with time zone,
    memories_extracted integer GENERATED ALWAYS AS (
CASE
    WHEN (extracted OR (parent_session IS NOT NULL)) THEN 1
    ELSE 0
END) STORED NOT NULL
);

ALTER TABLE ONLY transcripts.session_details FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN transcripts.session_details.first_line_at IS 'Span of its own lines, said or not; last_line_at the end.';

COMMENT ON COLUMN transcripts.session_details.parent_session IS 'The session that a subagent works for, by its name; tool_use_id the call that began it.';

COMMENT ON COLUMN transcripts.session_details.last_extractor IS 'Who tried last to extract memories, and when, follows transcripts.extractions, by trigger; so does extracted.';

COMMENT ON COLUMN transcripts.session_details.extracted IS 'Some extractor has read the session to its end.';

COMMENT ON COLUMN transcripts.session_details.memories_extracted IS 'As in the text. Nobody spoke to a subagent but an agent: it waits for no extraction.';

CREATE VIEW transcripts.sessions WITH (security_invoker='true') AS
 SELECT s.name AS id,
    d.project_path,
    d.git_branch,
    d.cwd,
    COALESCE(d.first_line_at, s.started_at) AS first_timestamp,
    COALESCE(d.last_line_at, s.last_at) AS last_timestamp,
    COALESCE(d.custom_title, d.ai_title, d.summary, "left"(d.first_prompt, 200)) AS title,
    d.summary,
    d.source,
    d.parent_session,
    d.agent_type,
    d.memories_extracted,
    d.extraction_attempted_at,
    COALESCE(x.status, 'none'::text) AS extraction_status,
    x.error AS extraction_error,
    d.last_extractor AS extractor,
    x.version AS extractor_version,
    s.space_id,
    s.id AS session_number
   FROM ((transcripts.session_details d
     JOIN core.sessions s ON (((s.space_id = d.space_id) AND (s.id = d.session_id))))
     LEFT JOIN transcripts.extractions x ON (((x.space_id = d.space_id) AND (x.session_id = d.session_id) AND (x.extractor = d.last_extractor))));

CREATE TABLE transcripts.summaries (
    space_id integer DEFAULT core.entered() NOT NULL,
    leaf_uuid text NOT NULL,
    summary text NOT NULL,
    CONSTRAINT summaries_leaf_uuid_check CHECK (((char_length(leaf_uuid) >= 1) AND (char_length(leaf_uuid) <= 512)))
);

ALTER TABLE ONLY transcripts.summaries FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE transcripts.summaries IS 'Titles as they were found, each by the line that it names: often of a session in another file.';

CREATE VIEW transcripts.sync_state WITH (security_invoker='true') AS
 SELECT path AS file_path,
    modified_at AS last_modified,
    offset_bytes AS last_byte_offset,
    size_bytes,
    lines,
    trouble,
    synced_at,
    space_id
   FROM transcripts.files;

CREATE TABLE transcripts.team_members (
    space_id integer DEFAULT core.entered() NOT NULL,
    id text NOT NULL,
    team_id text NOT NULL,
    name text,
    agent_type text,
    model text,
    prompt text,
    color text,
    cwd text,
    joined_at timestamp with time zone
);

ALTER TABLE ONLY transcripts.team_members FORCE ROW LEVEL SECURITY;

CREATE TABLE transcripts.team_tasks (
    space_id integer DEFAULT core.entered() NOT NULL,
    id text NOT NULL,
    team_id text NOT NULL,
    owner_name text,
    subject text,
    description text,
    status text DEFAULT 'pending'::text NOT NULL,
    created_at timestamp with time zone,
    completed_at timestamp with time zone
);

ALTER TABLE ONLY transcripts.team_tasks FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN transcripts.team_tasks.id IS 'team:task.';

CREATE TABLE transcripts.teams (
    space_id integer DEFAULT core.entered() NOT NULL,
    id text NOT NULL,
    name text,
    description text,
    lead_session_id text,
    created_at timestamp with time zone
);

ALTER TABLE ONLY transcripts.teams FORCE ROW LEVEL SECURITY;

CREATE TABLE transcripts.unindexed (
    space_id integer DEFAULT core.entered() NOT NULL,
    line_id bigint NOT NULL
);

ALTER TABLE ONLY transcripts.unindexed FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE transcripts.unindexed IS 'Lines whose text was changed after it was indexed.';

ALTER TABLE ONLY ledger.chat_competitor_checks ALTER COLUMN id SET DEFAULT nextval('ledger.chat_competitor_checks_id_seq'::regclass);

ALTER TABLE ONLY ledger.chat_fallbacks ALTER COLUMN id SET DEFAULT nextval('ledger.chat_fallbacks_id_seq'::regclass);

ALTER TABLE ONLY ledger.chat_memory_events ALTER COLUMN id SET DEFAULT nextval('ledger.chat_memory_events_id_seq'::regclass);

ALTER TABLE ONLY ledger.chat_recommendation_evidence ALTER COLUMN id SET DEFAULT nextval('ledger.chat_recommendation_evidence_id_seq'::regclass);

ALTER TABLE ONLY ledger.chat_recommendations ALTER COLUMN id SET DEFAULT nextval('ledger.chat_recommendations_id_seq'::regclass);

ALTER TABLE ONLY ledger.chat_review_signal_runs ALTER COLUMN id SET DEFAULT nextval('ledger.chat_review_signal_runs_id_seq'::regclass);

ALTER TABLE ONLY ledger.shapes ALTER COLUMN version SET DEFAULT nextval('ledger.shapes_version_seq'::regclass);

ALTER TABLE ONLY ledger.source_runs ALTER COLUMN id SET DEFAULT nextval('ledger.source_runs_id_seq'::regclass);

ALTER TABLE ONLY queue.saq_jobs ALTER COLUMN lock_key SET DEFAULT nextval('queue.saq_jobs_lock_key_seq'::regclass);

CREATE INDEX texts_terms ON transcripts.texts USING gin (terms) WITH (gin_pending_list_limit='16384');

CREATE FUNCTION transcripts.settle_texts() RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    BEGIN ATOMIC
 SELECT gin_clean_pending_list('transcripts.texts_terms'::regclass) AS gin_clean_pending_list;
END;

COMMENT ON FUNCTION transcripts.settle_texts() IS 'Sorts in what was put into the text index lately: until then each search reads through it.';

ALTER TABLE ONLY core.aliases
    ADD CONSTRAINT aliases_pkey PRIMARY KEY (space_id, alias, name);

ALTER TABLE ONLY core.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (id);

ALTER TABLE ONLY core.at_commit
    ADD CONSTRAINT at_commit_pkey PRIMARY KEY (space_id, id);

ALTER TABLE ONLY core.carried_receipts
    ADD CONSTRAINT carried_receipts_pkey PRIMARY KEY (space_id, id);

ALTER TABLE ONLY core.corrections
    ADD CONSTRAINT corrections_pkey PRIMARY KEY (space_id, kind, memory_id, message_id);

ALTER TABLE ONLY core.databases
    ADD CONSTRAINT databases_identity_key UNIQUE (identity);

ALTER TABLE ONLY core.databases
    ADD CONSTRAINT databases_name_key UNIQUE (name);

ALTER TABLE ONLY core.databases
    ADD CONSTRAINT databases_pkey PRIMARY KEY (number);

ALTER TABLE ONLY core.erasure_chain
    ADD CONSTRAINT erasure_chain_pkey PRIMARY KEY (id);

ALTER TABLE ONLY core.erasures
    ADD CONSTRAINT erasures_pkey PRIMARY KEY (space_id, id);

ALTER TABLE ONLY core.erasures
    ADD CONSTRAINT erasures_space_id_number_key UNIQUE (space_id, number);

ALTER TABLE ONLY core.exports
    ADD CONSTRAINT exports_pkey PRIMARY KEY (space_id, id);

ALTER TABLE ONLY core.imports
    ADD CONSTRAINT imports_pkey PRIMARY KEY (space_id, id);

ALTER TABLE ONLY core.kept_answers
    ADD CONSTRAINT kept_answers_pkey PRIMARY KEY (space_id, caller, key_sha256);

ALTER TABLE ONLY core.language_budget
    ADD CONSTRAINT language_budget_pkey PRIMARY KEY (day, purpose);

ALTER TABLE ONLY core.messages
    ADD CONSTRAINT messages_external_id_session_id_space_id_key UNIQUE NULLS NOT DISTINCT (external_id, session_id, space_id);

ALTER TABLE ONLY core.messages
    ADD CONSTRAINT messages_pkey PRIMARY KEY (space_id, id);

ALTER TABLE ONLY core.migrations
    ADD CONSTRAINT migrations_pkey PRIMARY KEY (room, version);

ALTER TABLE ONLY core.moved_spaces
    ADD CONSTRAINT moved_spaces_pkey PRIMARY KEY (space);

ALTER TABLE ONLY core.origins
    ADD CONSTRAINT origins_pkey PRIMARY KEY (space_id, id);

ALTER TABLE ONLY core.origins
    ADD CONSTRAINT origins_space_id_source_kind_source_id_key UNIQUE (space_id, source, kind, source_id);

ALTER TABLE ONLY core.outbox
    ADD CONSTRAINT outbox_pkey PRIMARY KEY (space_id, id);

ALTER TABLE ONLY core.outbox
    ADD CONSTRAINT outbox_space_id_topic_key_key UNIQUE (space_id, topic, key);

ALTER TABLE ONLY core.places
    ADD CONSTRAINT places_pkey PRIMARY KEY (space);

ALTER TABLE ONLY core.recall_entries
    ADD CONSTRAINT recall_entries_pkey PRIMARY KEY (space_id, id);

ALTER TABLE ONLY core.recall_generations
    ADD CONSTRAINT recall_generations_digest_key UNIQUE (digest);

ALTER TABLE ONLY core.recall_generations
    ADD CONSTRAINT recall_generations_pkey PRIMARY KEY (id);

ALTER TABLE ONLY core.recall_kinds
    ADD CONSTRAINT recall_kinds_name_key UNIQUE (name);

ALTER TABLE ONLY core.recall_kinds
    ADD CONSTRAINT recall_kinds_pkey PRIMARY KEY (code);

ALTER TABLE ONLY core.recall_names
    ADD CONSTRAINT recall_names_pkey PRIMARY KEY (space_id, id);

ALTER TABLE ONLY core.recall_names
    ADD CONSTRAINT recall_names_space_id_name_key UNIQUE (space_id, name);

ALTER TABLE ONLY core.recall_postings
    ADD CONSTRAINT recall_postings_pkey PRIMARY KEY (space_id, term, entry_id) INCLUDE (occurrences, tokens);

ALTER TABLE ONLY core.recall_terms
    ADD CONSTRAINT recall_terms_pkey PRIMARY KEY (space_id, term);

ALTER TABLE ONLY core.recall_threads
    ADD CONSTRAINT recall_threads_pkey PRIMARY KEY (space_id, id);

ALTER TABLE ONLY core.recall_vectors
    ADD CONSTRAINT recall_vectors_pkey PRIMARY KEY (space_id, generation, entry_id);

ALTER TABLE ONLY core.relations
    ADD CONSTRAINT relations_pkey PRIMARY KEY (space_id, newer, older);

ALTER TABLE ONLY core.removed_messages
    ADD CONSTRAINT removed_messages_pkey PRIMARY KEY (space_id, id);

ALTER TABLE ONLY core.schedules
    ADD CONSTRAINT schedules_pkey PRIMARY KEY (name);

ALTER TABLE ONLY core.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (space_id, id);

ALTER TABLE ONLY core.sessions
    ADD CONSTRAINT sessions_space_id_name_key UNIQUE (space_id, name);

ALTER TABLE ONLY core.sessions
    ADD CONSTRAINT sessions_uid_space_id_key UNIQUE (uid, space_id);

ALTER TABLE ONLY core.settings
    ADD CONSTRAINT settings_pkey PRIMARY KEY (name);

ALTER TABLE ONLY core.signins
    ADD CONSTRAINT signins_pkey PRIMARY KEY (token_sha256);

ALTER TABLE ONLY core.space_settings
    ADD CONSTRAINT space_settings_pkey PRIMARY KEY (space_id, name);

ALTER TABLE ONLY core.spaces
    ADD CONSTRAINT spaces_name_key UNIQUE (name);

ALTER TABLE ONLY core.spaces
    ADD CONSTRAINT spaces_pkey PRIMARY KEY (id);

ALTER TABLE ONLY core.standing_rules
    ADD CONSTRAINT standing_rules_pkey PRIMARY KEY (space_id, id);

ALTER TABLE ONLY core.tombstones
    ADD CONSTRAINT tombstones_pkey PRIMARY KEY (hash);

ALTER TABLE ONLY core.tool_calls
    ADD CONSTRAINT tool_calls_pkey PRIMARY KEY (space_id, id);

ALTER TABLE ONLY core.unindexed_messages
    ADD CONSTRAINT unindexed_messages_pkey PRIMARY KEY (space_id, message_id);

ALTER TABLE ONLY documents.documents
    ADD CONSTRAINT documents_pkey PRIMARY KEY (space_id, id);

ALTER TABLE ONLY documents.documents
    ADD CONSTRAINT documents_space_id_place_key_key UNIQUE (space_id, place, key);

ALTER TABLE ONLY documents.passages
    ADD CONSTRAINT passages_pkey PRIMARY KEY (space_id, id);

ALTER TABLE ONLY documents.vectors
    ADD CONSTRAINT vectors_pkey PRIMARY KEY (space_id, id);

ALTER TABLE ONLY documents.versions
    ADD CONSTRAINT versions_pkey PRIMARY KEY (space_id, document_id, version);

ALTER TABLE ONLY episodes.accesses
    ADD CONSTRAINT accesses_pkey PRIMARY KEY (space_id, episode_id, accessed_at);

ALTER TABLE ONLY episodes.belief_sources
    ADD CONSTRAINT belief_sources_pkey PRIMARY KEY (space_id, belief_id, message_id);

ALTER TABLE ONLY episodes.beliefs
    ADD CONSTRAINT beliefs_pkey PRIMARY KEY (space_id, id);

ALTER TABLE ONLY episodes.conflicts
    ADD CONSTRAINT conflicts_pkey PRIMARY KEY (space_id, id);

ALTER TABLE ONLY episodes.conflicts
    ADD CONSTRAINT conflicts_space_id_belief_id_rival_id_key UNIQUE (space_id, belief_id, rival_id);

ALTER TABLE ONLY episodes.conversation_details
    ADD CONSTRAINT conversation_details_pkey PRIMARY KEY (space_id, session_id);

ALTER TABLE ONLY episodes.episode_history
    ADD CONSTRAINT episode_history_pkey PRIMARY KEY (space_id, episode_id, version);

ALTER TABLE ONLY episodes.episode_messages
    ADD CONSTRAINT episode_messages_pkey PRIMARY KEY (space_id, episode_id, message_id);

ALTER TABLE ONLY episodes.exchanges
    ADD CONSTRAINT exchanges_pkey PRIMARY KEY (space_id, id);

ALTER TABLE ONLY episodes.exchanges
    ADD CONSTRAINT exchanges_space_id_session_id_first_message_key UNIQUE (space_id, session_id, first_message);

ALTER TABLE ONLY episodes.loop_messages
    ADD CONSTRAINT loop_messages_pkey PRIMARY KEY (space_id, loop_id, message_id);

ALTER TABLE ONLY episodes.loops
    ADD CONSTRAINT loops_pkey PRIMARY KEY (space_id, id);

ALTER TABLE ONLY episodes.message_details
    ADD CONSTRAINT message_details_pkey PRIMARY KEY (space_id, message_id);

ALTER TABLE ONLY episodes.progress
    ADD CONSTRAINT progress_pkey PRIMARY KEY (space_id, session_id, topic);

ALTER TABLE ONLY episodes.prompts
    ADD CONSTRAINT prompts_pkey PRIMARY KEY (space_id, id);

ALTER TABLE ONLY episodes.stored_episodes
    ADD CONSTRAINT stored_episodes_pkey PRIMARY KEY (space_id, id);

ALTER TABLE ONLY episodes.threads
    ADD CONSTRAINT threads_pkey PRIMARY KEY (space_id, id);

ALTER TABLE ONLY episodes.threads
    ADD CONSTRAINT threads_space_id_platform_channel_seq_key UNIQUE (space_id, platform, channel, seq);

ALTER TABLE ONLY episodes.topics
    ADD CONSTRAINT topics_pkey PRIMARY KEY (space_id, id);

ALTER TABLE ONLY episodes.topics
    ADD CONSTRAINT topics_space_id_user_name_name_key UNIQUE (space_id, user_name, name);

ALTER TABLE ONLY ledger.chat_competitor_checks
    ADD CONSTRAINT chat_competitor_checks_pkey PRIMARY KEY (space_id, id);

ALTER TABLE ONLY ledger.chat_fallbacks
    ADD CONSTRAINT chat_fallbacks_pkey PRIMARY KEY (space_id, id);

ALTER TABLE ONLY ledger.chat_memory_events
    ADD CONSTRAINT chat_memory_events_pkey PRIMARY KEY (space_id, id);

ALTER TABLE ONLY ledger.chat_recommendation_evidence
    ADD CONSTRAINT chat_recommendation_evidence_pkey PRIMARY KEY (space_id, id);

ALTER TABLE ONLY ledger.chat_recommendations
    ADD CONSTRAINT chat_recommendations_pkey PRIMARY KEY (space_id, id);

ALTER TABLE ONLY ledger.chat_recommendations
    ADD CONSTRAINT chat_recommendations_space_id_id_session_id_key UNIQUE (space_id, id, session_id);

ALTER TABLE ONLY ledger.chat_review_signal_runs
    ADD CONSTRAINT chat_review_signal_runs_pkey PRIMARY KEY (space_id, id);

ALTER TABLE ONLY ledger.chat_session_memory
    ADD CONSTRAINT chat_session_memory_pkey PRIMARY KEY (space_id, id);

ALTER TABLE ONLY ledger.chat_session_memory
    ADD CONSTRAINT chat_session_memory_space_id_session_id_memory_namespace_me_key UNIQUE (space_id, session_id, memory_namespace, memory_key);

ALTER TABLE ONLY ledger.chat_user_preferences
    ADD CONSTRAINT chat_user_preferences_pkey PRIMARY KEY (space_id, id);

ALTER TABLE ONLY ledger.chat_user_preferences
    ADD CONSTRAINT chat_user_preferences_space_id_distinct_id_preference_names_key UNIQUE (space_id, distinct_id, preference_namespace, preference_key);

ALTER TABLE ONLY ledger.filing_marks
    ADD CONSTRAINT filing_marks_pkey PRIMARY KEY (space_id);

ALTER TABLE ONLY ledger.session_details
    ADD CONSTRAINT session_details_pkey PRIMARY KEY (space_id, session_id);

ALTER TABLE ONLY ledger.shapes
    ADD CONSTRAINT shapes_pkey PRIMARY KEY (space_id, pattern);

ALTER TABLE ONLY ledger.shapes
    ADD CONSTRAINT shapes_space_id_version_key UNIQUE (space_id, version);

ALTER TABLE ONLY ledger.source_runs
    ADD CONSTRAINT source_runs_pkey PRIMARY KEY (space_id, id);

ALTER TABLE ONLY longterm.audit_memories
    ADD CONSTRAINT audit_memories_pkey PRIMARY KEY (space_id, audit_id, place);

ALTER TABLE ONLY longterm.audit
    ADD CONSTRAINT audit_pkey PRIMARY KEY (space_id, id);

ALTER TABLE ONLY longterm.evaluations
    ADD CONSTRAINT evaluations_pkey PRIMARY KEY (space_id, session_id, evaluator);

ALTER TABLE ONLY longterm.history
    ADD CONSTRAINT history_pkey PRIMARY KEY (space_id, id);

ALTER TABLE ONLY longterm.long_term_memory
    ADD CONSTRAINT long_term_memory_pkey PRIMARY KEY (space_id, id);

ALTER TABLE ONLY longterm.sources
    ADD CONSTRAINT sources_pkey PRIMARY KEY (space_id, id);

ALTER TABLE ONLY queue.saq_jobs
    ADD CONSTRAINT saq_jobs_pkey PRIMARY KEY (key);

ALTER TABLE ONLY queue.saq_stats
    ADD CONSTRAINT saq_stats_pkey PRIMARY KEY (worker_id);

ALTER TABLE ONLY tables.dirty_rows
    ADD CONSTRAINT dirty_rows_pkey PRIMARY KEY (space_id, schema_id, id);

ALTER TABLE ONLY tables.discarded_roles
    ADD CONSTRAINT discarded_roles_pkey PRIMARY KEY (role);

ALTER TABLE ONLY tables.embeddings
    ADD CONSTRAINT embeddings_pkey PRIMARY KEY (space_id, schema_id, relation_id, source_id, field_name, chunk_index);

ALTER TABLE ONLY tables.embeddings
    ADD CONSTRAINT embeddings_space_id_entry_id_key UNIQUE (space_id, entry_id);

ALTER TABLE ONLY tables.following
    ADD CONSTRAINT following_pkey PRIMARY KEY (space_id, schema_id);

ALTER TABLE ONLY tables.grants
    ADD CONSTRAINT grants_pkey PRIMARY KEY (space_id, schema_id, agent);

ALTER TABLE ONLY tables.kept_vectors
    ADD CONSTRAINT kept_vectors_pkey PRIMARY KEY (space_id, schema_id, generation, content_hash);

ALTER TABLE ONLY tables.passwords
    ADD CONSTRAINT passwords_pkey PRIMARY KEY (space_id, schema_id);

ALTER TABLE ONLY tables.relations
    ADD CONSTRAINT relations_pkey PRIMARY KEY (space_id, schema_id, relation);

ALTER TABLE ONLY tables.relations
    ADD CONSTRAINT relations_space_id_schema_id_id_key UNIQUE (space_id, schema_id, id);

ALTER TABLE ONLY tables.schemas
    ADD CONSTRAINT schemas_pkey PRIMARY KEY (space_id, id);

ALTER TABLE ONLY tables.schemas
    ADD CONSTRAINT schemas_space_id_name_key UNIQUE (space_id, name);

ALTER TABLE ONLY tables.schemas
    ADD CONSTRAINT schemas_space_id_reader_key UNIQUE (space_id, reader);

ALTER TABLE ONLY tables.schemas
    ADD CONSTRAINT schemas_space_id_schema_name_key UNIQUE (space_id, schema_name);

ALTER TABLE ONLY tables.schemas
    ADD CONSTRAINT schemas_space_id_writer_key UNIQUE (space_id, writer);

ALTER TABLE ONLY transcripts.discarded_readers
    ADD CONSTRAINT discarded_readers_pkey PRIMARY KEY (role);

ALTER TABLE ONLY transcripts.extractions
    ADD CONSTRAINT extractions_pkey PRIMARY KEY (space_id, session_id, extractor);

ALTER TABLE ONLY transcripts.files
    ADD CONSTRAINT files_pkey PRIMARY KEY (space_id, path);

ALTER TABLE ONLY transcripts.indexing
    ADD CONSTRAINT indexing_pkey PRIMARY KEY (space_id);

ALTER TABLE ONLY transcripts.lines
    ADD CONSTRAINT lines_pkey PRIMARY KEY (id, space_id);

ALTER TABLE ONLY transcripts.lines
    ADD CONSTRAINT lines_uuid_space_id_session_id_key UNIQUE (uuid, space_id, session_id);

ALTER TABLE ONLY transcripts.memories
    ADD CONSTRAINT memories_pkey PRIMARY KEY (space_id, id);

ALTER TABLE ONLY transcripts.memory_contradictions
    ADD CONSTRAINT memory_contradictions_pkey PRIMARY KEY (space_id, memory_id, contradicted_by);

ALTER TABLE ONLY transcripts.memory_edits
    ADD CONSTRAINT memory_edits_pkey PRIMARY KEY (space_id, id);

ALTER TABLE ONLY transcripts.memory_sources
    ADD CONSTRAINT memory_sources_pkey PRIMARY KEY (space_id, memory_id, session_id, turn_index);

ALTER TABLE ONLY transcripts.prompts
    ADD CONSTRAINT prompts_pkey PRIMARY KEY (space_id, id);

ALTER TABLE ONLY transcripts.prompts
    ADD CONSTRAINT prompts_space_id_session_happened_at_content_key UNIQUE NULLS NOT DISTINCT (space_id, session, happened_at, content);

ALTER TABLE ONLY transcripts.readers
    ADD CONSTRAINT readers_pkey PRIMARY KEY (space_id);

ALTER TABLE ONLY transcripts.readers
    ADD CONSTRAINT readers_space_id_role_key UNIQUE (space_id, role);

ALTER TABLE ONLY transcripts.responses
    ADD CONSTRAINT responses_pkey PRIMARY KEY (space_id, response_id);

ALTER TABLE ONLY transcripts.session_details
    ADD CONSTRAINT session_details_pkey PRIMARY KEY (space_id, session_id);

ALTER TABLE ONLY transcripts.summaries
    ADD CONSTRAINT summaries_pkey PRIMARY KEY (space_id, leaf_uuid);

ALTER TABLE ONLY transcripts.team_members
    ADD CONSTRAINT team_members_pkey PRIMARY KEY (space_id, team_id, id);

ALTER TABLE ONLY transcripts.team_tasks
    ADD CONSTRAINT team_tasks_pkey PRIMARY KEY (space_id, id);

ALTER TABLE ONLY transcripts.teams
    ADD CONSTRAINT teams_pkey PRIMARY KEY (space_id, id);

ALTER TABLE ONLY transcripts.texts
    ADD CONSTRAINT texts_pkey PRIMARY KEY (space_id, line_id, part, call_id);

ALTER TABLE ONLY transcripts.tool_calls
    ADD CONSTRAINT tool_calls_pkey PRIMARY KEY (space_id, session_id, id);

ALTER TABLE ONLY transcripts.tool_results
    ADD CONSTRAINT tool_results_pkey PRIMARY KEY (space_id, session_id, tool_call_id);

ALTER TABLE ONLY transcripts.unindexed
    ADD CONSTRAINT unindexed_pkey PRIMARY KEY (space_id, line_id);

CREATE INDEX aliases_message ON core.aliases USING btree (space_id, message_id) WHERE (message_id IS NOT NULL);

CREATE INDEX api_keys_of_space ON core.api_keys USING btree (space);

CREATE INDEX corrections_latest ON core.corrections USING btree (space_id, corrected_at);

CREATE INDEX corrections_message ON core.corrections USING btree (space_id, message_id);

CREATE INDEX kept_answers_begun ON core.kept_answers USING btree (begun_at);

CREATE INDEX messages_agent ON core.messages USING btree (space_id, agent_id) WHERE (agent_id IS NOT NULL);

CREATE INDEX messages_app ON core.messages USING btree (space_id, app_id) WHERE (app_id IS NOT NULL);

CREATE INDEX messages_run ON core.messages USING btree (space_id, run_id) WHERE (run_id IS NOT NULL);

CREATE INDEX messages_user ON core.messages USING btree (space_id, user_name) WHERE (user_name IS NOT NULL);

CREATE UNIQUE INDEX one_generation_serves ON core.recall_generations USING btree (state) WHERE (state = 'serving'::text);

CREATE INDEX origins_import ON core.origins USING btree (space_id, import_id);

CREATE INDEX origins_message ON core.origins USING btree (space_id, message_id) WHERE (message_id IS NOT NULL);

CREATE INDEX origins_target ON core.origins USING btree (space_id, target_id) WHERE (target_id IS NOT NULL);

CREATE INDEX outbox_due ON core.outbox USING btree (due_at, id) WHERE ((sent_at IS NULL) AND (dead_at IS NULL));

CREATE INDEX outbox_due_of_space ON core.outbox USING btree (space_id, due_at) WHERE ((sent_at IS NULL) AND (dead_at IS NULL));

CREATE INDEX places_of_database ON core.places USING btree (database);

CREATE INDEX recall_entries_owner ON core.recall_entries USING btree (space_id, owner) WHERE (owner > 0);

CREATE INDEX recall_entries_source ON core.recall_entries USING btree (space_id, source_table, source_id) WHERE (source_table IS NOT NULL);

CREATE INDEX recall_entries_stated ON core.recall_entries USING btree (space_id, speaker, owner, id) WHERE ((kind = 1) AND by_user AND (NOT asks));

CREATE INDEX recall_entries_version ON core.recall_entries USING btree (space_id, version) WHERE (bits IS NOT NULL);

CREATE INDEX relations_older ON core.relations USING btree (older, space_id);

CREATE INDEX removed_messages_session ON core.removed_messages USING btree (space_id, session_id, removed_at);

CREATE INDEX removed_messages_time ON core.removed_messages USING btree (space_id, removed_at);

CREATE INDEX sessions_person ON core.sessions USING btree (space_id, belongs_to) WHERE (belongs_to <> ''::text);

CREATE INDEX signins_ended ON core.signins USING btree (ends_at);

CREATE INDEX standing_rules_ended_in ON core.standing_rules USING btree (ended_in, space_id) WHERE (ended_in IS NOT NULL);

CREATE INDEX standing_rules_in_force ON core.standing_rules USING btree (space_id, user_name, since) WHERE (ended_at IS NULL);

CREATE INDEX standing_rules_message ON core.standing_rules USING btree (message_id, space_id) WHERE (message_id IS NOT NULL);

CREATE INDEX tool_calls_message ON core.tool_calls USING btree (space_id, message_id) WHERE (message_id IS NOT NULL);

CREATE INDEX tool_calls_session ON core.tool_calls USING btree (space_id, session_id, turn_index);

CREATE INDEX tool_calls_source ON core.tool_calls USING btree (space_id, source_name, created_at);

CREATE INDEX documents_expiry ON documents.documents USING btree (space_id, expires_at) WHERE (expires_at IS NOT NULL);

CREATE INDEX documents_updated ON documents.documents USING btree (space_id, updated_at DESC, id);

CREATE INDEX documents_user ON documents.documents USING btree (space_id, user_name) WHERE (user_name IS NOT NULL);

CREATE INDEX passages_document ON documents.passages USING btree (space_id, document_id, number);

CREATE UNIQUE INDEX passages_entry ON documents.passages USING btree (space_id, entry_id) WHERE (entry_id IS NOT NULL);

CREATE INDEX passages_unindexed ON documents.passages USING btree (space_id, id) WHERE (entry_id IS NULL);

CREATE INDEX vectors_document ON documents.vectors USING btree (space_id, document_id);

CREATE INDEX versions_ended ON documents.versions USING btree (space_id, ended_at);

CREATE INDEX versions_place ON documents.versions USING btree (space_id, place, key, ended_at);

CREATE INDEX versions_user ON documents.versions USING btree (space_id, user_name) WHERE (user_name IS NOT NULL);

CREATE INDEX belief_sources_message ON episodes.belief_sources USING btree (space_id, message_id);

CREATE UNIQUE INDEX beliefs_entry ON episodes.beliefs USING btree (space_id, entry_id) WHERE (entry_id IS NOT NULL);

CREATE INDEX beliefs_key ON episodes.beliefs USING btree (space_id, person, key);

CREATE UNIQUE INDEX beliefs_standing ON episodes.beliefs USING btree (space_id, person, key, slot) WHERE (state = 'standing'::text);

CREATE INDEX beliefs_successor ON episodes.beliefs USING btree (space_id, successor) WHERE (successor IS NOT NULL);

CREATE INDEX conflicts_rival ON episodes.conflicts USING btree (space_id, rival_id);

CREATE INDEX conversation_details_thread ON episodes.conversation_details USING btree (space_id, thread_id);

CREATE INDEX conversation_details_topic ON episodes.conversation_details USING btree (space_id, topic_id);

CREATE INDEX episode_messages_message ON episodes.episode_messages USING btree (space_id, message_id);

CREATE INDEX episodes_ended ON episodes.stored_episodes USING btree (space_id, ended_at DESC);

CREATE UNIQUE INDEX episodes_entry ON episodes.stored_episodes USING btree (space_id, entry_id) WHERE (entry_id IS NOT NULL);

CREATE INDEX episodes_intent ON episodes.stored_episodes USING btree (space_id, ((intent ->> 'type'::text)));

CREATE INDEX episodes_refile ON episodes.stored_episodes USING btree (space_id) WHERE refile;

CREATE INDEX episodes_session ON episodes.stored_episodes USING btree (space_id, session_id);

CREATE INDEX episodes_thread ON episodes.stored_episodes USING btree (space_id, thread_id) WHERE (thread_id IS NOT NULL);

CREATE INDEX episodes_used ON episodes.stored_episodes USING btree (space_id, last_accessed_at) WHERE (last_accessed_at IS NOT NULL);

CREATE INDEX episodes_user ON episodes.stored_episodes USING btree (space_id, user_name) WHERE (user_name IS NOT NULL);

CREATE INDEX exchanges_episode ON episodes.exchanges USING btree (space_id, episode_id) WHERE (episode_id IS NOT NULL);

CREATE INDEX exchanges_loose ON episodes.exchanges USING btree (space_id, session_id, id) WHERE (episode_id IS NULL);

CREATE INDEX exchanges_thread ON episodes.exchanges USING btree (space_id, thread_id);

CREATE INDEX exchanges_topic ON episodes.exchanges USING btree (space_id, topic_id);

CREATE INDEX loop_messages_message ON episodes.loop_messages USING btree (space_id, message_id);

CREATE INDEX loops_due ON episodes.loops USING btree (space_id, due_at) WHERE ((state = 'open'::text) AND (due_at IS NOT NULL));

CREATE INDEX loops_evidence ON episodes.loops USING btree (space_id, evidence_message) WHERE (evidence_message IS NOT NULL);

CREATE INDEX loops_latest ON episodes.loops USING btree (space_id, state, COALESCE(closed_at, said_at), id);

CREATE INDEX loops_message ON episodes.loops USING btree (space_id, message_id);

CREATE INDEX loops_open ON episodes.loops USING btree (space_id, user_name, said_at) WHERE (state = 'open'::text);

CREATE INDEX loops_session ON episodes.loops USING btree (space_id, session_id);

CREATE INDEX prompts_latest ON episodes.prompts USING btree (space_id, created_at);

CREATE INDEX prompts_message ON episodes.prompts USING btree (space_id, prompt_message) WHERE (prompt_message IS NOT NULL);

CREATE INDEX prompts_reply ON episodes.prompts USING btree (space_id, reply_message) WHERE (reply_message IS NOT NULL);

CREATE INDEX prompts_session ON episodes.prompts USING btree (space_id, session, created_at);

CREATE INDEX threads_from ON episodes.threads USING btree (space_id, continued_from) WHERE (continued_from IS NOT NULL);

CREATE INDEX threads_time ON episodes.threads USING btree (space_id, platform, channel, last_at);

CREATE INDEX topics_last ON episodes.topics USING btree (space_id, user_name, last_at DESC);

CREATE INDEX idx_chat_competitor_checks_session_turn ON ledger.chat_competitor_checks USING btree (space_id, session_id, turn_index, created_at DESC);

CREATE INDEX idx_chat_fallbacks_session_turn ON ledger.chat_fallbacks USING btree (space_id, session_id, turn_index);

CREATE INDEX idx_chat_memory_events_distinct_created ON ledger.chat_memory_events USING btree (space_id, distinct_id, created_at DESC);

CREATE INDEX idx_chat_memory_events_distinct_key ON ledger.chat_memory_events USING btree (space_id, distinct_id, memory_namespace, memory_key, created_at DESC, id DESC) WHERE (memory_scope = 'cross_session'::text);

CREATE INDEX idx_chat_memory_events_key_created ON ledger.chat_memory_events USING btree (space_id, memory_namespace, memory_key, created_at DESC);

CREATE INDEX idx_chat_memory_events_session_key ON ledger.chat_memory_events USING btree (space_id, session_id, memory_namespace, memory_key, created_at DESC, id DESC) WHERE (memory_scope = 'session'::text);

CREATE INDEX idx_chat_memory_events_session_turn ON ledger.chat_memory_events USING btree (space_id, session_id, turn_index, created_at DESC);

CREATE INDEX idx_chat_recommendation_evidence_place_publish ON ledger.chat_recommendation_evidence USING btree (space_id, place_id, review_publish_at DESC);

CREATE INDEX idx_chat_recommendation_evidence_recommendation ON ledger.chat_recommendation_evidence USING btree (space_id, recommendation_id, evidence_rank);

CREATE INDEX idx_chat_recommendation_evidence_session_turn ON ledger.chat_recommendation_evidence USING btree (space_id, session_id, turn_index, created_at DESC);

CREATE INDEX idx_chat_recommendations_message ON ledger.chat_recommendations USING btree (space_id, message_id) WHERE (message_id IS NOT NULL);

CREATE INDEX idx_chat_recommendations_review_backed ON ledger.chat_recommendations USING btree (space_id, review_backed, created_at DESC);

CREATE INDEX idx_chat_recommendations_session_turn ON ledger.chat_recommendations USING btree (space_id, session_id, turn_index);

CREATE INDEX idx_chat_review_signal_runs_place_created ON ledger.chat_review_signal_runs USING btree (space_id, place_id, created_at DESC);

CREATE INDEX idx_chat_review_signal_runs_session_turn ON ledger.chat_review_signal_runs USING btree (space_id, session_id, turn_index, created_at DESC);

CREATE INDEX idx_chat_session_memory_expiry ON ledger.chat_session_memory USING btree (space_id, expires_at);

CREATE INDEX idx_chat_session_memory_session_updated ON ledger.chat_session_memory USING btree (space_id, session_id, last_updated_at DESC);

CREATE INDEX idx_chat_session_memory_source ON ledger.chat_session_memory USING btree (space_id, source_event_id);

CREATE INDEX idx_chat_user_preferences_distinct ON ledger.chat_user_preferences USING btree (space_id, distinct_id, last_updated_at DESC);

CREATE INDEX idx_chat_user_preferences_expiry ON ledger.chat_user_preferences USING btree (space_id, expires_at);

CREATE INDEX idx_chat_user_preferences_last_session ON ledger.chat_user_preferences USING btree (space_id, last_session_id) WHERE (last_session_id IS NOT NULL);

CREATE INDEX idx_chat_user_preferences_source ON ledger.chat_user_preferences USING btree (space_id, source_event_id);

CREATE INDEX idx_source_runs_source_started ON ledger.source_runs USING btree (space_id, source_name, run_started_at DESC);

CREATE INDEX audit_memories_memory ON longterm.audit_memories USING btree (space_id, memory_id);

CREATE INDEX audit_time ON longterm.audit USING btree (space_id, at);

CREATE INDEX history_memory ON longterm.history USING btree (space_id, memory_id, id);

CREATE INDEX idx_memory_archived ON longterm.long_term_memory USING btree (space_id, archived DESC, importance, updated_at, id);

CREATE INDEX idx_memory_category ON longterm.long_term_memory USING btree (space_id, category);

CREATE INDEX idx_memory_importance ON longterm.long_term_memory USING btree (space_id, importance);

CREATE INDEX long_term_memory_agent ON longterm.long_term_memory USING btree (space_id, agent_id) WHERE (agent_id IS NOT NULL);

CREATE INDEX long_term_memory_any_hash ON longterm.long_term_memory USING btree (space_id, hash);

CREATE INDEX long_term_memory_app ON longterm.long_term_memory USING btree (space_id, app_id) WHERE (app_id IS NOT NULL);

CREATE UNIQUE INDEX long_term_memory_entry ON longterm.long_term_memory USING btree (space_id, entry_id) WHERE (entry_id IS NOT NULL);

CREATE UNIQUE INDEX long_term_memory_hash ON longterm.long_term_memory USING btree (space_id, user_name, hash) NULLS NOT DISTINCT WHERE (NOT archived);

CREATE INDEX long_term_memory_run ON longterm.long_term_memory USING btree (space_id, run_id) WHERE (run_id IS NOT NULL);

CREATE INDEX long_term_memory_unindexed ON longterm.long_term_memory USING btree (space_id, id) WHERE ((entry_id IS NULL) AND (NOT archived));

CREATE INDEX long_term_memory_used ON longterm.long_term_memory USING btree (space_id, last_accessed_at) WHERE (last_accessed_at IS NOT NULL);

CREATE INDEX sources_memory ON longterm.sources USING btree (space_id, memory_id, version);

CREATE INDEX sources_message ON longterm.sources USING btree (space_id, message) WHERE (message IS NOT NULL);

CREATE INDEX sources_message_id ON longterm.sources USING btree (space_id, message_id) WHERE (message_id IS NOT NULL);

CREATE UNIQUE INDEX sources_once ON longterm.sources USING btree (space_id, memory_id, version, session, message) NULLS NOT DISTINCT WHERE (message IS NOT NULL);

CREATE INDEX sources_session ON longterm.sources USING btree (space_id, session) WHERE (session IS NOT NULL);

CREATE INDEX saq_jobs_status_queue_group_key_idx ON queue.saq_jobs USING btree (status, queue, group_key);

CREATE INDEX saq_jobs_status_queue_priority_scheduled_idx ON queue.saq_jobs USING btree (status, queue, priority, scheduled);

CREATE INDEX saq_stats_expire_at_idx ON queue.saq_stats USING btree (expire_at);

CREATE INDEX saq_stats_queue_key_idx ON queue.saq_stats USING btree (queue_key);

CREATE INDEX dirty_rows_of_a_relation ON tables.dirty_rows USING btree (space_id, schema_id, relation_id, hashtextextended(source_id, (0)::bigint));

CREATE INDEX embeddings_content ON tables.embeddings USING btree (space_id, schema_id, content_hash);

CREATE INDEX idx_memories_category ON transcripts.memories USING btree (space_id, category);

CREATE INDEX idx_memories_created ON transcripts.memories USING btree (space_id, created_at);

CREATE INDEX idx_memories_session ON transcripts.memories USING btree (space_id, session_id);

CREATE INDEX idx_sessions_extraction ON transcripts.session_details USING btree (space_id, memories_extracted, extraction_attempted_at);

CREATE INDEX lines_message ON transcripts.lines USING btree (message_id) WHERE (message_id IS NOT NULL);

CREATE INDEX lines_time ON transcripts.lines USING btree (session_id, happened_at, id);

CREATE UNIQUE INDEX memories_entry ON transcripts.memories USING btree (space_id, entry_id) WHERE (entry_id IS NOT NULL);

CREATE UNIQUE INDEX memories_normal_form ON transcripts.memories USING btree (space_id, project_path, category, normal_form) WHERE ((status = 'active'::text) AND (normal_form IS NOT NULL));

CREATE INDEX memories_unindexed ON transcripts.memories USING btree (space_id, id) WHERE ((entry_id IS NULL) AND (status = 'active'::text));

CREATE INDEX memories_used ON transcripts.memories USING btree (space_id, used_at) WHERE (used_at IS NOT NULL);

CREATE INDEX memory_sources_message ON transcripts.memory_sources USING btree (space_id, message_id) WHERE (message_id IS NOT NULL);

CREATE INDEX memory_sources_session ON transcripts.memory_sources USING btree (space_id, session_id);

CREATE INDEX readers_role ON transcripts.readers USING btree (role);

CREATE INDEX responses_day ON transcripts.responses USING btree (space_id, happened_at);

CREATE INDEX responses_line ON transcripts.responses USING btree (space_id, line_id);

CREATE INDEX responses_session ON transcripts.responses USING btree (space_id, session_id);

CREATE INDEX session_details_latest ON transcripts.session_details USING btree (space_id, last_line_at DESC NULLS LAST);

CREATE INDEX session_details_parent ON transcripts.session_details USING btree (space_id, parent_session) WHERE (parent_session IS NOT NULL);

CREATE INDEX session_details_project ON transcripts.session_details USING btree (space_id, project_path);

CREATE INDEX tool_calls_line ON transcripts.tool_calls USING btree (space_id, line_id);

CREATE INDEX tool_calls_name ON transcripts.tool_calls USING btree (space_id, tool_name, happened_at);

CREATE INDEX tool_calls_path ON transcripts.tool_calls USING btree (space_id, path) WHERE (path IS NOT NULL);

CREATE INDEX tool_results_agent ON transcripts.tool_results USING btree (space_id, agent_session) WHERE (agent_session IS NOT NULL);

CREATE INDEX tool_results_line ON transcripts.tool_results USING btree (space_id, line_id);

CREATE CONSTRAINT TRIGGER do_at_commit AFTER INSERT ON core.at_commit DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION core.do_at_commit();

CREATE TRIGGER drop_origins AFTER DELETE ON core.messages REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION core.drop_origins_of_messages();

CREATE TRIGGER end_beliefs AFTER INSERT OR DELETE OR UPDATE OF removed_at, made_by ON core.relations FOR EACH ROW EXECUTE FUNCTION episodes.follow_relation();

CREATE TRIGGER end_long_term_memory AFTER INSERT OR DELETE OR UPDATE OF removed_at, made_by ON core.relations FOR EACH ROW EXECUTE FUNCTION longterm.follow_relation();

CREATE TRIGGER end_memories AFTER INSERT OR DELETE OR UPDATE OF removed_at, made_by ON core.relations FOR EACH ROW EXECUTE FUNCTION transcripts.follow_relation();

CREATE TRIGGER guard_space BEFORE DELETE ON core.spaces FOR EACH ROW EXECUTE FUNCTION ledger.guard_space();

CREATE TRIGGER jobs_go AFTER DELETE ON core.sessions REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION core.jobs_go_with_their_session();

CREATE TRIGGER lines_go AFTER DELETE ON core.sessions REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION transcripts.lines_go_with_their_session();

CREATE TRIGGER whose AFTER INSERT ON core.messages REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION core.note_users_of_sessions();

CREATE TRIGGER whose_on_insert BEFORE INSERT ON core.sessions FOR EACH ROW WHEN ((new.distinct_id IS NOT NULL)) EXECUTE FUNCTION core.note_owner_of_session();

CREATE TRIGGER whose_on_update AFTER UPDATE OF distinct_id ON core.sessions FOR EACH ROW WHEN ((new.distinct_id IS DISTINCT FROM old.distinct_id)) EXECUTE FUNCTION core.note_new_owner_of_session();

CREATE TRIGGER be_given_entry BEFORE INSERT ON documents.passages FOR EACH ROW WHEN ((new.entry_id IS NOT NULL)) EXECUTE FUNCTION core.be_given_entry('7');

CREATE TRIGGER be_given_entry_again BEFORE UPDATE ON documents.passages FOR EACH ROW WHEN ((old.entry_id IS DISTINCT FROM new.entry_id)) EXECUTE FUNCTION core.be_given_entry('7');

CREATE TRIGGER drop_origins AFTER DELETE ON documents.documents REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION core.drop_origins('id');

CREATE TRIGGER drop_origins AFTER DELETE ON documents.versions REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION core.drop_origins('document_id');

CREATE TRIGGER drop_passages AFTER UPDATE ON documents.documents FOR EACH ROW WHEN (((new.index_paths = '{}'::text[]) AND (old.index_paths <> '{}'::text[]))) EXECUTE FUNCTION documents.drop_passages();

CREATE TRIGGER drop_raw AFTER UPDATE OF redacted_at ON documents.versions FOR EACH ROW WHEN ((new.redacted_at IS NOT NULL)) EXECUTE FUNCTION core.drop_raw();

CREATE TRIGGER keep_as_written BEFORE UPDATE ON documents.versions FOR EACH ROW WHEN ((((((((((((old.version IS DISTINCT FROM new.version) OR (old.place IS DISTINCT FROM new.place)) OR (old.key IS DISTINCT FROM new.key)) OR (old.value IS DISTINCT FROM new.value)) OR (old.body IS DISTINCT FROM new.body)) OR (old.metadata IS DISTINCT FROM new.metadata)) OR (old.user_name IS DISTINCT FROM new.user_name)) OR (old.sha256 IS DISTINCT FROM new.sha256)) OR (old.written_at IS DISTINCT FROM new.written_at)) OR (old.written_by IS DISTINCT FROM new.written_by)) OR (old.redacted_at IS DISTINCT FROM new.redacted_at))) EXECUTE FUNCTION documents.keep_as_written();

CREATE TRIGGER keep_version BEFORE UPDATE ON documents.documents FOR EACH ROW WHEN (((((((old.place IS DISTINCT FROM new.place) OR (old.key IS DISTINCT FROM new.key)) OR (old.value IS DISTINCT FROM new.value)) OR (old.body IS DISTINCT FROM new.body)) OR (old.metadata IS DISTINCT FROM new.metadata)) OR (old.user_name IS DISTINCT FROM new.user_name))) EXECUTE FUNCTION documents.keep_version();

CREATE TRIGGER not_emptied BEFORE TRUNCATE ON documents.passages FOR EACH STATEMENT EXECUTE FUNCTION core.refuse_statement('Truncating leaves the index as it is: delete the rows, in the space that was entered.');

CREATE TRIGGER unindex_deleted AFTER DELETE ON documents.passages REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION core.unindex_deleted();

CREATE TRIGGER unindex_inserted BEFORE INSERT ON documents.passages FOR EACH ROW WHEN (((new.entry_id IS NULL) AND true)) EXECUTE FUNCTION core.unindex_row('7');

CREATE TRIGGER unindex_updated BEFORE UPDATE ON documents.passages FOR EACH ROW WHEN (((NOT (old.entry_id IS DISTINCT FROM new.entry_id)) AND ((((old.id IS DISTINCT FROM new.id) OR (old.text IS DISTINCT FROM new.text)) OR (old.user_name IS DISTINCT FROM new.user_name)) OR (old.happened_at IS DISTINCT FROM new.happened_at)))) EXECUTE FUNCTION core.unindex_row('7');

CREATE TRIGGER ask_for_space INSTEAD OF INSERT OR UPDATE ON episodes.conversations FOR EACH ROW EXECUTE FUNCTION core.ask_for_space();

CREATE TRIGGER ask_for_space INSTEAD OF INSERT OR DELETE OR UPDATE ON episodes.episodes FOR EACH ROW EXECUTE FUNCTION core.ask_for_space();

CREATE TRIGGER ask_for_space INSTEAD OF INSERT OR UPDATE ON episodes.messages FOR EACH ROW EXECUTE FUNCTION core.ask_for_space();

CREATE TRIGGER drop_origins AFTER DELETE ON episodes.loops REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION core.drop_origins('id');

CREATE TRIGGER follow_sources AFTER INSERT OR DELETE ON episodes.belief_sources FOR EACH ROW EXECUTE FUNCTION episodes.follow_sources();

CREATE TRIGGER refused INSTEAD OF DELETE ON episodes.conversations FOR EACH ROW EXECUTE FUNCTION core.refuse_statement('Set status to ''deleted'' to put it away, or use forget(session=…, confirm=True) for good.');

CREATE TRIGGER refused INSTEAD OF DELETE ON episodes.messages FOR EACH ROW EXECUTE FUNCTION core.refuse_statement('What was said goes by forget(message=…, confirm=True), from everything that was made of it.');

CREATE TRIGGER write_conversation INSTEAD OF INSERT OR UPDATE ON episodes.conversations FOR EACH ROW EXECUTE FUNCTION episodes.write_conversation();

CREATE TRIGGER write_episode INSTEAD OF INSERT OR DELETE OR UPDATE ON episodes.episodes FOR EACH ROW EXECUTE FUNCTION episodes.write_episode();

CREATE TRIGGER write_message INSTEAD OF INSERT OR UPDATE ON episodes.messages FOR EACH ROW EXECUTE FUNCTION episodes.write_message();

CREATE TRIGGER written INSTEAD OF INSERT OR UPDATE ON episodes.conversations FOR EACH ROW EXECUTE FUNCTION core.refuse_unwritten('id', 'id, created_at, session and messages follow from what was said, and updated_at is never before it. user_id, topic, title, status, updated_at and thread_id can be changed.', '');

CREATE TRIGGER written INSTEAD OF INSERT OR UPDATE ON episodes.episodes FOR EACH ROW EXECUTE FUNCTION core.refuse_unwritten('id', 'freshness and activation_score are worked out from ended_at and the uses, embedding from what it says: leave them out. Uses raise salience. A use is noted by raising access_count, with last_accessed_at or without. Most that is not in the text follows from what was said.', '');

CREATE TRIGGER written INSTEAD OF UPDATE ON episodes.messages FOR EACH ROW EXECUTE FUNCTION core.refuse_unwritten('message_number', 'What was said is written by observe(). Here only mode and metadata of a message can be changed.', '');

CREATE TRIGGER ask_for_space INSTEAD OF INSERT OR DELETE OR UPDATE ON ledger.chat_sessions FOR EACH ROW EXECUTE FUNCTION core.ask_for_space();

CREATE TRIGGER begin_without_evidence BEFORE INSERT ON ledger.chat_recommendations FOR EACH ROW EXECUTE FUNCTION ledger.begin_without_evidence();

CREATE TRIGGER complete_event BEFORE INSERT ON ledger.chat_memory_events FOR EACH ROW WHEN ((new.standing_event_id IS NULL)) EXECUTE FUNCTION ledger.complete_event();

CREATE TRIGGER delete_session INSTEAD OF DELETE ON ledger.chat_sessions FOR EACH ROW EXECUTE FUNCTION ledger.delete_session();

CREATE TRIGGER erase_rest AFTER DELETE ON ledger.chat_memory_events REFERENCING OLD TABLE AS gone FOR EACH STATEMENT WHEN ((pg_trigger_depth() < 2)) EXECUTE FUNCTION ledger.erase_rest();

CREATE TRIGGER evidence_added AFTER INSERT ON ledger.chat_recommendation_evidence REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION ledger.evidence_changed();

CREATE TRIGGER evidence_moved AFTER UPDATE ON ledger.chat_recommendation_evidence REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION ledger.evidence_moved();

CREATE TRIGGER evidence_taken AFTER DELETE ON ledger.chat_recommendation_evidence REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION ledger.evidence_changed();

CREATE TRIGGER follow AFTER INSERT ON ledger.chat_recommendation_evidence FOR EACH ROW WHEN ((new.excerpt IS NOT NULL)) EXECUTE FUNCTION ledger.follow_excerpt();

CREATE TRIGGER follow AFTER INSERT ON ledger.chat_session_memory FOR EACH ROW WHEN ((new.id <> new.source_event_id)) EXECUTE FUNCTION ledger.follow_value();

CREATE TRIGGER follow AFTER INSERT ON ledger.chat_user_preferences FOR EACH ROW WHEN ((new.id <> new.source_event_id)) EXECUTE FUNCTION ledger.follow_value();

CREATE TRIGGER follow_again AFTER UPDATE ON ledger.chat_recommendation_evidence FOR EACH ROW WHEN ((new.excerpt IS DISTINCT FROM old.excerpt)) EXECUTE FUNCTION ledger.follow_excerpt();

CREATE TRIGGER follow_again AFTER UPDATE ON ledger.chat_session_memory FOR EACH ROW WHEN (((new.source_event_id IS DISTINCT FROM old.source_event_id) AND ((new.source_event_id)::text IS DISTINCT FROM current_setting('quipu.appended'::text, true)))) EXECUTE FUNCTION ledger.follow_value();

CREATE TRIGGER follow_again AFTER UPDATE ON ledger.chat_user_preferences FOR EACH ROW WHEN (((new.source_event_id IS DISTINCT FROM old.source_event_id) AND ((new.source_event_id)::text IS DISTINCT FROM current_setting('quipu.appended'::text, true)))) EXECUTE FUNCTION ledger.follow_value();

CREATE TRIGGER follow_purge AFTER DELETE ON ledger.chat_session_memory FOR EACH ROW WHEN ((old.expires_at <= now())) EXECUTE FUNCTION ledger.follow_all();

CREATE TRIGGER follow_purge AFTER DELETE ON ledger.chat_user_preferences FOR EACH ROW WHEN ((old.expires_at <= now())) EXECUTE FUNCTION ledger.follow_all();

CREATE TRIGGER guard_event BEFORE DELETE OR UPDATE ON ledger.chat_memory_events FOR EACH ROW EXECUTE FUNCTION ledger.guard_event();

CREATE TRIGGER guard_events BEFORE TRUNCATE ON ledger.chat_memory_events FOR EACH STATEMENT EXECUTE FUNCTION ledger.guard_event();

CREATE TRIGGER mark_assumption BEFORE INSERT ON ledger.chat_memory_events FOR EACH ROW WHEN (((new.value_source = ANY (ARRAY['assumed'::text, 'default'::text])) AND (new.event_type <> ALL (ARRAY['fact_expired'::text, 'fact_deleted'::text])) AND ((NOT new.assumed) OR (new.confidence_cap = 'none'::text)))) EXECUTE FUNCTION ledger.mark_assumption();

CREATE TRIGGER mark_assumption BEFORE INSERT OR UPDATE ON ledger.chat_session_memory FOR EACH ROW WHEN (((new.value_source = ANY (ARRAY['assumed'::text, 'default'::text])) AND ((NOT new.assumed) OR (new.confidence_cap = 'none'::text)))) EXECUTE FUNCTION ledger.mark_assumption();

CREATE TRIGGER mark_assumption BEFORE INSERT OR UPDATE ON ledger.chat_user_preferences FOR EACH ROW WHEN (((new.value_source = ANY (ARRAY['assumed'::text, 'default'::text])) AND ((NOT new.assumed) OR (new.confidence_cap = 'none'::text)))) EXECUTE FUNCTION ledger.mark_assumption();

CREATE TRIGGER mark_no_assumption BEFORE UPDATE ON ledger.chat_session_memory FOR EACH ROW WHEN ((new.assumed AND (old.value_source = ANY (ARRAY['assumed'::text, 'default'::text])) AND (new.value_source = ANY (ARRAY['explicit'::text, 'inferred'::text])))) EXECUTE FUNCTION ledger.unmark_assumption();

CREATE TRIGGER mark_no_assumption BEFORE UPDATE ON ledger.chat_user_preferences FOR EACH ROW WHEN ((new.assumed AND (old.value_source = 'default'::text) AND (new.value_source = ANY (ARRAY['explicit'::text, 'inferred'::text])))) EXECUTE FUNCTION ledger.unmark_assumption();

CREATE TRIGGER named_once INSTEAD OF INSERT ON ledger.chat_sessions FOR EACH ROW EXECUTE FUNCTION ledger.refuse_two_names();

CREATE TRIGGER not_emptied BEFORE TRUNCATE ON ledger.chat_recommendation_evidence FOR EACH STATEMENT EXECUTE FUNCTION core.refuse_statement('Truncating leaves the index as it is: delete the rows, in the space that was entered.');

CREATE TRIGGER not_emptied BEFORE TRUNCATE ON ledger.chat_session_memory FOR EACH STATEMENT EXECUTE FUNCTION core.refuse_statement('Truncating leaves the index as it is: delete the rows, in the space that was entered.');

CREATE TRIGGER not_emptied BEFORE TRUNCATE ON ledger.chat_user_preferences FOR EACH STATEMENT EXECUTE FUNCTION core.refuse_statement('Truncating leaves the index as it is: delete the rows, in the space that was entered.');

CREATE TRIGGER refused INSTEAD OF INSERT OR DELETE OR UPDATE ON ledger.assumption_friction FOR EACH ROW EXECUTE FUNCTION core.refuse_statement('These figures are computed from sessions, tool calls, recommendations and assumptions: change those.');

CREATE TRIGGER refused INSTEAD OF INSERT OR DELETE OR UPDATE ON ledger.chat_messages FOR EACH ROW EXECUTE FUNCTION core.refuse_statement('Messages come by observe(), and go by forget(message=…, confirm=True).');

CREATE TRIGGER refused INSTEAD OF INSERT OR DELETE OR UPDATE ON ledger.chat_tool_calls FOR EACH ROW EXECUTE FUNCTION core.refuse_statement('Tool calls come by observe(), with the message that made them, and go with it by forget(message=…, confirm=True).');

CREATE TRIGGER refused INSTEAD OF INSERT OR DELETE OR UPDATE ON ledger.evidence_coverage FOR EACH ROW EXECUTE FUNCTION core.refuse_statement('These figures are computed from sessions, tool calls, recommendations and assumptions: change those.');

CREATE TRIGGER refused INSTEAD OF INSERT OR DELETE OR UPDATE ON ledger.evidence_recency FOR EACH ROW EXECUTE FUNCTION core.refuse_statement('These figures are computed from sessions, tool calls, recommendations and assumptions: change those.');

CREATE TRIGGER refused INSTEAD OF INSERT OR DELETE OR UPDATE ON ledger.first_insight FOR EACH ROW EXECUTE FUNCTION core.refuse_statement('These figures are computed from sessions, tool calls, recommendations and assumptions: change those.');

CREATE TRIGGER refused INSTEAD OF INSERT OR DELETE OR UPDATE ON ledger.source_recency FOR EACH ROW EXECUTE FUNCTION core.refuse_statement('These figures are computed from sessions, tool calls, recommendations and assumptions: change those.');

CREATE TRIGGER refused INSTEAD OF INSERT OR DELETE OR UPDATE ON ledger.source_reliability FOR EACH ROW EXECUTE FUNCTION core.refuse_statement('These figures are computed from sessions, tool calls, recommendations and assumptions: change those.');

CREATE TRIGGER tell AFTER INSERT ON ledger.chat_session_memory FOR EACH ROW WHEN ((new.source_event_id IS NULL)) EXECUTE FUNCTION ledger.tell_of_value();

CREATE TRIGGER tell AFTER INSERT ON ledger.chat_user_preferences FOR EACH ROW WHEN ((new.source_event_id IS NULL)) EXECUTE FUNCTION ledger.tell_of_preference();

CREATE TRIGGER tell_again BEFORE UPDATE ON ledger.chat_session_memory FOR EACH ROW WHEN (((new.source_event_id IS NULL) OR ((new.source_event_id = old.source_event_id) AND ((((((((new.session_id IS DISTINCT FROM old.session_id) OR (new.memory_namespace IS DISTINCT FROM old.memory_namespace)) OR (new.memory_key IS DISTINCT FROM old.memory_key)) OR (new.value_json IS DISTINCT FROM old.value_json)) OR (new.value_source IS DISTINCT FROM old.value_source)) OR (new.assumed IS DISTINCT FROM old.assumed)) OR (new.confidence_cap IS DISTINCT FROM old.confidence_cap)) OR (new.expires_at IS DISTINCT FROM old.expires_at))))) EXECUTE FUNCTION ledger.tell_of_value();

CREATE TRIGGER tell_again BEFORE UPDATE ON ledger.chat_user_preferences FOR EACH ROW WHEN (((new.source_event_id IS NULL) OR ((new.source_event_id = old.source_event_id) AND ((((((((new.distinct_id IS DISTINCT FROM old.distinct_id) OR (new.preference_namespace IS DISTINCT FROM old.preference_namespace)) OR (new.preference_key IS DISTINCT FROM old.preference_key)) OR (new.value_json IS DISTINCT FROM old.value_json)) OR (new.value_source IS DISTINCT FROM old.value_source)) OR (new.assumed IS DISTINCT FROM old.assumed)) OR (new.confidence_cap IS DISTINCT FROM old.confidence_cap)) OR (new.expires_at IS DISTINCT FROM old.expires_at))))) EXECUTE FUNCTION ledger.tell_of_preference();

CREATE TRIGGER tell_of_end AFTER DELETE ON ledger.chat_session_memory FOR EACH ROW WHEN (((old.source_event_id IS NOT NULL) AND (current_setting('quipu.rebuilding'::text, true) IS DISTINCT FROM 'on'::text))) EXECUTE FUNCTION ledger.tell_of_end();

CREATE TRIGGER tell_of_end AFTER DELETE ON ledger.chat_user_preferences FOR EACH ROW WHEN (((old.source_event_id IS NOT NULL) AND (current_setting('quipu.rebuilding'::text, true) IS DISTINCT FROM 'on'::text))) EXECUTE FUNCTION ledger.tell_of_end();

CREATE TRIGGER unindex AFTER DELETE ON ledger.chat_memory_events REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION ledger.unindex();

CREATE TRIGGER unindex AFTER DELETE ON ledger.chat_recommendation_evidence REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION ledger.unindex();

CREATE TRIGGER unindex_excerpts AFTER UPDATE ON ledger.chat_recommendation_evidence REFERENCING OLD TABLE AS gone NEW TABLE AS kept FOR EACH STATEMENT EXECUTE FUNCTION ledger.unindex();

CREATE TRIGGER write_session INSTEAD OF INSERT OR UPDATE ON ledger.chat_sessions FOR EACH ROW EXECUTE FUNCTION ledger.write_session();

CREATE TRIGGER written INSTEAD OF INSERT OR UPDATE ON ledger.chat_sessions FOR EACH ROW EXECUTE FUNCTION core.refuse_unwritten('id', 'id and name are what the session is known by; whose it is and when it began may follow from what was said.', '');

CREATE TRIGGER be_given_entry BEFORE INSERT ON longterm.long_term_memory FOR EACH ROW WHEN ((new.entry_id IS NOT NULL)) EXECUTE FUNCTION core.be_given_entry('5');

CREATE TRIGGER be_given_entry_again BEFORE UPDATE ON longterm.long_term_memory FOR EACH ROW WHEN ((old.entry_id IS DISTINCT FROM new.entry_id)) EXECUTE FUNCTION core.be_given_entry('5');

CREATE TRIGGER date_memory BEFORE INSERT ON longterm.long_term_memory FOR EACH ROW WHEN ((new.happened_at = '-infinity'::timestamp with time zone)) EXECUTE FUNCTION longterm.date_memory();

CREATE TRIGGER drop_origins AFTER DELETE ON longterm.long_term_memory REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION core.drop_origins('id');

CREATE TRIGGER follow_sources AFTER INSERT OR DELETE ON longterm.sources FOR EACH ROW EXECUTE FUNCTION longterm.follow_sources();

CREATE TRIGGER follow_version AFTER UPDATE OF version ON longterm.long_term_memory FOR EACH ROW WHEN (((old.valid_until IS NOT NULL) AND (old.version <> new.version))) EXECUTE FUNCTION longterm.follow_version();

CREATE TRIGGER keep_wording BEFORE UPDATE ON longterm.long_term_memory FOR EACH ROW WHEN (((((((old.summary IS DISTINCT FROM new.summary) OR (old.details IS DISTINCT FROM new.details)) OR (old.category IS DISTINCT FROM new.category)) OR (old.importance IS DISTINCT FROM new.importance)) OR (old.archived IS DISTINCT FROM new.archived)) OR (old.version IS DISTINCT FROM new.version))) EXECUTE FUNCTION longterm.keep_wording();

CREATE TRIGGER not_emptied BEFORE TRUNCATE ON longterm.long_term_memory FOR EACH STATEMENT EXECUTE FUNCTION core.refuse_statement('Truncating leaves the index as it is: delete the rows, in the space that was entered.');

CREATE TRIGGER note_ids BEFORE INSERT OR UPDATE OF metadata, agent_id, app_id, run_id ON longterm.long_term_memory FOR EACH ROW EXECUTE FUNCTION longterm.note_ids();

CREATE TRIGGER unindex_deleted AFTER DELETE ON longterm.long_term_memory REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION core.unindex_deleted();

CREATE TRIGGER unindex_inserted BEFORE INSERT ON longterm.long_term_memory FOR EACH ROW WHEN (((new.entry_id IS NULL) AND (NOT new.archived))) EXECUTE FUNCTION core.unindex_row('5');

CREATE TRIGGER unindex_updated BEFORE UPDATE ON longterm.long_term_memory FOR EACH ROW WHEN (((NOT (old.entry_id IS DISTINCT FROM new.entry_id)) AND ((((((old.id IS DISTINCT FROM new.id) OR (old.summary IS DISTINCT FROM new.summary)) OR (old.details IS DISTINCT FROM new.details)) OR (old.user_name IS DISTINCT FROM new.user_name)) OR (old.happened_at IS DISTINCT FROM new.happened_at)) OR (old.archived IS DISTINCT FROM new.archived)))) EXECUTE FUNCTION core.unindex_row('5');

CREATE TRIGGER follow_structure AFTER INSERT OR DELETE OR UPDATE OF relation, table_name, columns, key, fields ON tables.relations FOR EACH ROW EXECUTE FUNCTION tables.follow_structure();

CREATE TRIGGER refuse_virtual BEFORE INSERT OR UPDATE OF fields, columns, relation ON tables.relations FOR EACH ROW EXECUTE FUNCTION tables.refuse_virtual();

CREATE TRIGGER take_out_schema BEFORE DELETE ON tables.schemas FOR EACH ROW EXECUTE FUNCTION tables.take_out_schema();

CREATE TRIGGER ask_for_space INSTEAD OF UPDATE ON transcripts.sessions FOR EACH ROW EXECUTE FUNCTION core.ask_for_space();

CREATE TRIGGER be_given_entry BEFORE INSERT ON transcripts.memories FOR EACH ROW WHEN ((new.entry_id IS NOT NULL)) EXECUTE FUNCTION core.be_given_entry('3');

CREATE TRIGGER be_given_entry_again BEFORE UPDATE ON transcripts.memories FOR EACH ROW WHEN ((old.entry_id IS DISTINCT FROM new.entry_id)) EXECUTE FUNCTION core.be_given_entry('3');

CREATE TRIGGER discard_reader AFTER DELETE ON transcripts.readers FOR EACH ROW EXECUTE FUNCTION transcripts.discard_reader();

CREATE TRIGGER drop_origins AFTER DELETE ON transcripts.memories REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION core.drop_origins('id');

CREATE TRIGGER follow_extraction AFTER INSERT OR DELETE OR UPDATE ON transcripts.extractions FOR EACH ROW EXECUTE FUNCTION transcripts.follow_extraction();

CREATE TRIGGER follow_sources AFTER INSERT OR DELETE ON transcripts.memory_sources FOR EACH ROW EXECUTE FUNCTION transcripts.follow_sources();

CREATE TRIGGER go_with_their_line AFTER DELETE ON transcripts.lines REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION transcripts.go_with_their_line();

CREATE TRIGGER have_their_line AFTER INSERT ON transcripts.responses REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION transcripts.have_their_line();

CREATE TRIGGER have_their_line AFTER INSERT ON transcripts.tool_calls REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION transcripts.have_their_line();

CREATE TRIGGER have_their_line AFTER INSERT ON transcripts.tool_results REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION transcripts.have_their_line();

CREATE TRIGGER keep_edit BEFORE UPDATE ON transcripts.memories FOR EACH ROW WHEN (((NOT (old.entry_id IS DISTINCT FROM new.entry_id)) AND (old.fact <> new.fact))) EXECUTE FUNCTION transcripts.keep_edit();

CREATE TRIGGER lines_have_their_session AFTER INSERT ON transcripts.lines REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION transcripts.lines_have_their_session();

CREATE TRIGGER lines_stay_in_their_session AFTER UPDATE OF space_id, session_id ON transcripts.lines FOR EACH ROW WHEN (((old.space_id <> new.space_id) OR (old.session_id <> new.session_id))) EXECUTE FUNCTION transcripts.lines_stay_in_their_session();

CREATE TRIGGER mark_session INSTEAD OF UPDATE ON transcripts.sessions FOR EACH ROW EXECUTE FUNCTION transcripts.mark_session();

CREATE TRIGGER not_emptied BEFORE TRUNCATE ON transcripts.memories FOR EACH STATEMENT EXECUTE FUNCTION core.refuse_statement('Truncating leaves the index as it is: delete the rows, in the space that was entered.');

CREATE TRIGGER note_extracted BEFORE INSERT OR UPDATE OF status ON transcripts.extractions FOR EACH ROW EXECUTE FUNCTION transcripts.note_extracted();

CREATE TRIGGER place_memory BEFORE INSERT ON transcripts.memories FOR EACH ROW WHEN ((new.happened_at = '-infinity'::timestamp with time zone)) EXECUTE FUNCTION transcripts.place_memory();

CREATE TRIGGER refused INSTEAD OF INSERT OR DELETE OR UPDATE ON transcripts.messages FOR EACH ROW EXECUTE FUNCTION core.refuse_statement('Messages come by `quipu transcripts sync` or observe(), and go by forget(message=…, confirm=True).');

CREATE TRIGGER refused INSTEAD OF INSERT OR DELETE ON transcripts.sessions FOR EACH ROW EXECUTE FUNCTION core.refuse_statement('Sessions come by `quipu transcripts sync` or observe(), and go by forget(session=…, confirm=True). Here memories_extracted and extraction_attempted_at can be changed.');

CREATE TRIGGER reindex AFTER UPDATE OF content_text, thinking, message_id, is_meta, is_noise, is_compact_summary ON transcripts.lines FOR EACH ROW WHEN (((old.content_text IS DISTINCT FROM new.content_text) OR (old.thinking IS DISTINCT FROM new.thinking) OR (old.message_id IS DISTINCT FROM new.message_id) OR (old.is_meta <> new.is_meta) OR (old.is_noise <> new.is_noise) OR (old.is_compact_summary <> new.is_compact_summary))) EXECUTE FUNCTION transcripts.reindex();

CREATE TRIGGER reindex AFTER UPDATE OF tool_input, tool_name ON transcripts.tool_calls FOR EACH ROW WHEN (((old.tool_input IS DISTINCT FROM new.tool_input) OR (old.tool_name <> new.tool_name))) EXECUTE FUNCTION transcripts.reindex();

CREATE TRIGGER reindex AFTER UPDATE OF content, is_error ON transcripts.tool_results FOR EACH ROW WHEN (((old.content IS DISTINCT FROM new.content) OR (old.is_error <> new.is_error))) EXECUTE FUNCTION transcripts.reindex();

CREATE TRIGGER stay_with_their_line AFTER UPDATE OF space_id, line_id ON transcripts.responses FOR EACH ROW WHEN (((old.space_id <> new.space_id) OR (old.line_id <> new.line_id))) EXECUTE FUNCTION transcripts.stay_with_their_line();

CREATE TRIGGER stay_with_their_line AFTER UPDATE OF space_id, line_id ON transcripts.tool_calls FOR EACH ROW WHEN (((old.space_id <> new.space_id) OR (old.line_id <> new.line_id))) EXECUTE FUNCTION transcripts.stay_with_their_line();

CREATE TRIGGER stay_with_their_line AFTER UPDATE OF space_id, line_id ON transcripts.tool_results FOR EACH ROW WHEN (((old.space_id <> new.space_id) OR (old.line_id <> new.line_id))) EXECUTE FUNCTION transcripts.stay_with_their_line();

CREATE TRIGGER take_extraction BEFORE INSERT ON transcripts.session_details FOR EACH ROW EXECUTE FUNCTION transcripts.take_extraction();

CREATE TRIGGER unindex_deleted AFTER DELETE ON transcripts.memories REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION core.unindex_deleted();

CREATE TRIGGER unindex_inserted BEFORE INSERT ON transcripts.memories FOR EACH ROW WHEN (((new.entry_id IS NULL) AND (new.status = 'active'::text))) EXECUTE FUNCTION core.unindex_row('3');

CREATE TRIGGER unindex_updated BEFORE UPDATE ON transcripts.memories FOR EACH ROW WHEN (((NOT (old.entry_id IS DISTINCT FROM new.entry_id)) AND (((old.id IS DISTINCT FROM new.id) OR (old.fact IS DISTINCT FROM new.fact)) OR (old.status IS DISTINCT FROM new.status)))) EXECUTE FUNCTION core.unindex_row('3');

CREATE TRIGGER written INSTEAD OF UPDATE ON transcripts.sessions FOR EACH ROW EXECUTE FUNCTION core.refuse_unwritten('session_number', 'memories_extracted (0 or 1) and extraction_attempted_at can be changed; the rest follows from the files that a sync reads.', '');

ALTER TABLE ONLY core.aliases
    ADD CONSTRAINT aliases_space_id_fkey FOREIGN KEY (space_id) REFERENCES core.spaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY core.aliases
    ADD CONSTRAINT aliases_space_id_message_id_fkey FOREIGN KEY (space_id, message_id) REFERENCES core.messages(space_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY core.carried_receipts
    ADD CONSTRAINT carried_receipts_space_id_fkey FOREIGN KEY (space_id) REFERENCES core.spaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY core.corrections
    ADD CONSTRAINT corrections_space_id_message_id_fkey FOREIGN KEY (space_id, message_id) REFERENCES core.messages(space_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY core.imports
    ADD CONSTRAINT imports_space_id_fkey FOREIGN KEY (space_id) REFERENCES core.spaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY core.messages
    ADD CONSTRAINT messages_space_id_fkey FOREIGN KEY (space_id) REFERENCES core.spaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY core.messages
    ADD CONSTRAINT messages_space_id_session_id_fkey FOREIGN KEY (space_id, session_id) REFERENCES core.sessions(space_id, id);

ALTER TABLE ONLY core.origins
    ADD CONSTRAINT origins_space_id_fkey FOREIGN KEY (space_id) REFERENCES core.spaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY core.origins
    ADD CONSTRAINT origins_space_id_import_id_fkey FOREIGN KEY (space_id, import_id) REFERENCES core.imports(space_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY core.places
    ADD CONSTRAINT places_database_fkey FOREIGN KEY (database) REFERENCES core.databases(number);

ALTER TABLE ONLY core.recall_entries
    ADD CONSTRAINT recall_entries_kind_fkey FOREIGN KEY (kind) REFERENCES core.recall_kinds(code);

ALTER TABLE ONLY core.recall_entries
    ADD CONSTRAINT recall_entries_space_id_fkey FOREIGN KEY (space_id) REFERENCES core.spaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY core.recall_names
    ADD CONSTRAINT recall_names_space_id_fkey FOREIGN KEY (space_id) REFERENCES core.spaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY core.recall_threads
    ADD CONSTRAINT recall_threads_space_id_fkey FOREIGN KEY (space_id) REFERENCES core.spaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY core.relations
    ADD CONSTRAINT relations_space_id_newer_fkey FOREIGN KEY (space_id, newer) REFERENCES core.messages(space_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY core.relations
    ADD CONSTRAINT relations_space_id_older_fkey FOREIGN KEY (space_id, older) REFERENCES core.messages(space_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY core.removed_messages
    ADD CONSTRAINT removed_messages_space_id_fkey FOREIGN KEY (space_id) REFERENCES core.spaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY core.removed_messages
    ADD CONSTRAINT removed_messages_space_id_session_id_fkey FOREIGN KEY (space_id, session_id) REFERENCES core.sessions(space_id, id);

ALTER TABLE ONLY core.sessions
    ADD CONSTRAINT sessions_space_id_fkey FOREIGN KEY (space_id) REFERENCES core.spaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY core.space_settings
    ADD CONSTRAINT space_settings_space_id_fkey FOREIGN KEY (space_id) REFERENCES core.spaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY core.spaces
    ADD CONSTRAINT spaces_generation_fkey FOREIGN KEY (generation) REFERENCES core.recall_generations(id);

ALTER TABLE ONLY core.standing_rules
    ADD CONSTRAINT standing_rules_space_id_ended_in_fkey FOREIGN KEY (space_id, ended_in) REFERENCES core.messages(space_id, id) ON DELETE SET NULL (ended_in);

ALTER TABLE ONLY core.standing_rules
    ADD CONSTRAINT standing_rules_space_id_fkey FOREIGN KEY (space_id) REFERENCES core.spaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY core.standing_rules
    ADD CONSTRAINT standing_rules_space_id_message_id_fkey FOREIGN KEY (space_id, message_id) REFERENCES core.messages(space_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY core.tool_calls
    ADD CONSTRAINT tool_calls_space_id_fkey FOREIGN KEY (space_id) REFERENCES core.spaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY core.tool_calls
    ADD CONSTRAINT tool_calls_space_id_message_id_fkey FOREIGN KEY (space_id, message_id) REFERENCES core.messages(space_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY core.tool_calls
    ADD CONSTRAINT tool_calls_space_id_session_id_fkey FOREIGN KEY (space_id, session_id) REFERENCES core.sessions(space_id, id);

ALTER TABLE ONLY core.unindexed_messages
    ADD CONSTRAINT unindexed_messages_space_id_message_id_fkey FOREIGN KEY (space_id, message_id) REFERENCES core.messages(space_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY documents.documents
    ADD CONSTRAINT documents_space_id_fkey FOREIGN KEY (space_id) REFERENCES core.spaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY documents.passages
    ADD CONSTRAINT passages_space_id_document_id_fkey FOREIGN KEY (space_id, document_id) REFERENCES documents.documents(space_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY documents.vectors
    ADD CONSTRAINT vectors_space_id_document_id_fkey FOREIGN KEY (space_id, document_id) REFERENCES documents.documents(space_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY documents.versions
    ADD CONSTRAINT versions_space_id_fkey FOREIGN KEY (space_id) REFERENCES core.spaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY episodes.accesses
    ADD CONSTRAINT accesses_space_id_episode_id_fkey FOREIGN KEY (space_id, episode_id) REFERENCES episodes.stored_episodes(space_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY episodes.belief_sources
    ADD CONSTRAINT belief_sources_space_id_belief_id_fkey FOREIGN KEY (space_id, belief_id) REFERENCES episodes.beliefs(space_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY episodes.belief_sources
    ADD CONSTRAINT belief_sources_space_id_message_id_fkey FOREIGN KEY (space_id, message_id) REFERENCES core.messages(space_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY episodes.beliefs
    ADD CONSTRAINT beliefs_space_id_fkey FOREIGN KEY (space_id) REFERENCES core.spaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY episodes.beliefs
    ADD CONSTRAINT beliefs_space_id_successor_fkey FOREIGN KEY (space_id, successor) REFERENCES episodes.beliefs(space_id, id) ON DELETE SET NULL (successor);

ALTER TABLE ONLY episodes.conflicts
    ADD CONSTRAINT conflicts_space_id_belief_id_fkey FOREIGN KEY (space_id, belief_id) REFERENCES episodes.beliefs(space_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY episodes.conflicts
    ADD CONSTRAINT conflicts_space_id_rival_id_fkey FOREIGN KEY (space_id, rival_id) REFERENCES episodes.beliefs(space_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY episodes.conversation_details
    ADD CONSTRAINT conversation_details_space_id_fkey FOREIGN KEY (space_id) REFERENCES core.spaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY episodes.conversation_details
    ADD CONSTRAINT conversation_details_space_id_session_id_fkey FOREIGN KEY (space_id, session_id) REFERENCES core.sessions(space_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY episodes.conversation_details
    ADD CONSTRAINT conversation_details_space_id_thread_id_fkey FOREIGN KEY (space_id, thread_id) REFERENCES episodes.threads(space_id, id) ON DELETE SET NULL (thread_id);

ALTER TABLE ONLY episodes.conversation_details
    ADD CONSTRAINT conversation_details_space_id_topic_id_fkey FOREIGN KEY (space_id, topic_id) REFERENCES episodes.topics(space_id, id) ON DELETE SET NULL (topic_id);

ALTER TABLE ONLY episodes.episode_history
    ADD CONSTRAINT episode_history_space_id_episode_id_fkey FOREIGN KEY (space_id, episode_id) REFERENCES episodes.stored_episodes(space_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY episodes.episode_messages
    ADD CONSTRAINT episode_messages_space_id_episode_id_fkey FOREIGN KEY (space_id, episode_id) REFERENCES episodes.stored_episodes(space_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY episodes.episode_messages
    ADD CONSTRAINT episode_messages_space_id_message_id_fkey FOREIGN KEY (space_id, message_id) REFERENCES core.messages(space_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY episodes.exchanges
    ADD CONSTRAINT exchanges_space_id_episode_id_fkey FOREIGN KEY (space_id, episode_id) REFERENCES episodes.stored_episodes(space_id, id) ON DELETE SET NULL (episode_id);

ALTER TABLE ONLY episodes.exchanges
    ADD CONSTRAINT exchanges_space_id_fkey FOREIGN KEY (space_id) REFERENCES core.spaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY episodes.exchanges
    ADD CONSTRAINT exchanges_space_id_session_id_fkey FOREIGN KEY (space_id, session_id) REFERENCES core.sessions(space_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY episodes.exchanges
    ADD CONSTRAINT exchanges_space_id_thread_id_fkey FOREIGN KEY (space_id, thread_id) REFERENCES episodes.threads(space_id, id) ON DELETE SET NULL (thread_id);

ALTER TABLE ONLY episodes.exchanges
    ADD CONSTRAINT exchanges_space_id_topic_id_fkey FOREIGN KEY (space_id, topic_id) REFERENCES episodes.topics(space_id, id) ON DELETE SET NULL (topic_id);

ALTER TABLE ONLY episodes.loop_messages
    ADD CONSTRAINT loop_messages_space_id_loop_id_fkey FOREIGN KEY (space_id, loop_id) REFERENCES episodes.loops(space_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY episodes.loop_messages
    ADD CONSTRAINT loop_messages_space_id_message_id_fkey FOREIGN KEY (space_id, message_id) REFERENCES core.messages(space_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY episodes.loops
    ADD CONSTRAINT loops_space_id_fkey FOREIGN KEY (space_id) REFERENCES core.spaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY episodes.loops
    ADD CONSTRAINT loops_space_id_message_id_fkey FOREIGN KEY (space_id, message_id) REFERENCES core.messages(space_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY episodes.loops
    ADD CONSTRAINT loops_space_id_session_id_fkey FOREIGN KEY (space_id, session_id) REFERENCES core.sessions(space_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY episodes.message_details
    ADD CONSTRAINT message_details_space_id_message_id_fkey FOREIGN KEY (space_id, message_id) REFERENCES core.messages(space_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY episodes.progress
    ADD CONSTRAINT progress_space_id_fkey FOREIGN KEY (space_id) REFERENCES core.spaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY episodes.progress
    ADD CONSTRAINT progress_space_id_session_id_fkey FOREIGN KEY (space_id, session_id) REFERENCES core.sessions(space_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY episodes.prompts
    ADD CONSTRAINT prompts_space_id_fkey FOREIGN KEY (space_id) REFERENCES core.spaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY episodes.stored_episodes
    ADD CONSTRAINT stored_episodes_space_id_fkey FOREIGN KEY (space_id) REFERENCES core.spaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY episodes.stored_episodes
    ADD CONSTRAINT stored_episodes_space_id_session_id_fkey FOREIGN KEY (space_id, session_id) REFERENCES core.sessions(space_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY episodes.stored_episodes
    ADD CONSTRAINT stored_episodes_space_id_thread_id_fkey FOREIGN KEY (space_id, thread_id) REFERENCES episodes.threads(space_id, id) ON DELETE SET NULL (thread_id);

ALTER TABLE ONLY episodes.threads
    ADD CONSTRAINT threads_space_id_continued_from_fkey FOREIGN KEY (space_id, continued_from) REFERENCES episodes.threads(space_id, id) ON DELETE SET NULL (continued_from);

ALTER TABLE ONLY episodes.threads
    ADD CONSTRAINT threads_space_id_fkey FOREIGN KEY (space_id) REFERENCES core.spaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY episodes.topics
    ADD CONSTRAINT topics_space_id_fkey FOREIGN KEY (space_id) REFERENCES core.spaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY ledger.chat_competitor_checks
    ADD CONSTRAINT chat_competitor_checks_space_id_fkey FOREIGN KEY (space_id) REFERENCES core.spaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY ledger.chat_competitor_checks
    ADD CONSTRAINT chat_competitor_checks_space_id_session_id_fkey FOREIGN KEY (space_id, session_id) REFERENCES core.sessions(space_id, uid);

ALTER TABLE ONLY ledger.chat_fallbacks
    ADD CONSTRAINT chat_fallbacks_space_id_fkey FOREIGN KEY (space_id) REFERENCES core.spaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY ledger.chat_fallbacks
    ADD CONSTRAINT chat_fallbacks_space_id_session_id_fkey FOREIGN KEY (space_id, session_id) REFERENCES core.sessions(space_id, uid);

ALTER TABLE ONLY ledger.chat_memory_events
    ADD CONSTRAINT chat_memory_events_space_id_session_id_fkey FOREIGN KEY (space_id, session_id) REFERENCES core.sessions(space_id, uid);

ALTER TABLE ONLY ledger.chat_recommendation_evidence
    ADD CONSTRAINT chat_recommendation_evidence_space_id_fkey FOREIGN KEY (space_id) REFERENCES core.spaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY ledger.chat_recommendation_evidence
    ADD CONSTRAINT chat_recommendation_evidence_space_id_recommendation_id_fkey FOREIGN KEY (space_id, recommendation_id) REFERENCES ledger.chat_recommendations(space_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY ledger.chat_recommendation_evidence
    ADD CONSTRAINT chat_recommendation_evidence_space_id_recommendation_id_se_fkey FOREIGN KEY (space_id, recommendation_id, session_id) REFERENCES ledger.chat_recommendations(space_id, id, session_id) ON DELETE CASCADE;

ALTER TABLE ONLY ledger.chat_recommendation_evidence
    ADD CONSTRAINT chat_recommendation_evidence_space_id_session_id_fkey FOREIGN KEY (space_id, session_id) REFERENCES core.sessions(space_id, uid);

ALTER TABLE ONLY ledger.chat_recommendations
    ADD CONSTRAINT chat_recommendations_space_id_fkey FOREIGN KEY (space_id) REFERENCES core.spaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY ledger.chat_recommendations
    ADD CONSTRAINT chat_recommendations_space_id_message_id_fkey FOREIGN KEY (space_id, message_id) REFERENCES core.messages(space_id, id) ON DELETE SET NULL (message_id);

ALTER TABLE ONLY ledger.chat_recommendations
    ADD CONSTRAINT chat_recommendations_space_id_session_id_fkey FOREIGN KEY (space_id, session_id) REFERENCES core.sessions(space_id, uid);

ALTER TABLE ONLY ledger.chat_review_signal_runs
    ADD CONSTRAINT chat_review_signal_runs_space_id_fkey FOREIGN KEY (space_id) REFERENCES core.spaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY ledger.chat_review_signal_runs
    ADD CONSTRAINT chat_review_signal_runs_space_id_session_id_fkey FOREIGN KEY (space_id, session_id) REFERENCES core.sessions(space_id, uid);

ALTER TABLE ONLY ledger.chat_session_memory
    ADD CONSTRAINT chat_session_memory_space_id_fkey FOREIGN KEY (space_id) REFERENCES core.spaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY ledger.chat_session_memory
    ADD CONSTRAINT chat_session_memory_space_id_session_id_fkey FOREIGN KEY (space_id, session_id) REFERENCES core.sessions(space_id, uid);

ALTER TABLE ONLY ledger.chat_session_memory
    ADD CONSTRAINT chat_session_memory_space_id_source_event_id_fkey FOREIGN KEY (space_id, source_event_id) REFERENCES ledger.chat_memory_events(space_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY ledger.chat_user_preferences
    ADD CONSTRAINT chat_user_preferences_space_id_fkey FOREIGN KEY (space_id) REFERENCES core.spaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY ledger.chat_user_preferences
    ADD CONSTRAINT chat_user_preferences_space_id_last_session_id_fkey FOREIGN KEY (space_id, last_session_id) REFERENCES core.sessions(space_id, uid);

ALTER TABLE ONLY ledger.chat_user_preferences
    ADD CONSTRAINT chat_user_preferences_space_id_source_event_id_fkey FOREIGN KEY (space_id, source_event_id) REFERENCES ledger.chat_memory_events(space_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY ledger.filing_marks
    ADD CONSTRAINT filing_marks_space_id_fkey FOREIGN KEY (space_id) REFERENCES core.spaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY ledger.session_details
    ADD CONSTRAINT session_details_space_id_fkey FOREIGN KEY (space_id) REFERENCES core.spaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY ledger.session_details
    ADD CONSTRAINT session_details_space_id_session_id_fkey FOREIGN KEY (space_id, session_id) REFERENCES core.sessions(space_id, uid);

ALTER TABLE ONLY ledger.shapes
    ADD CONSTRAINT shapes_space_id_fkey FOREIGN KEY (space_id) REFERENCES core.spaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY ledger.source_runs
    ADD CONSTRAINT source_runs_space_id_fkey FOREIGN KEY (space_id) REFERENCES core.spaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY longterm.audit_memories
    ADD CONSTRAINT audit_memories_space_id_audit_id_fkey FOREIGN KEY (space_id, audit_id) REFERENCES longterm.audit(space_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY longterm.audit_memories
    ADD CONSTRAINT audit_memories_space_id_memory_id_fkey FOREIGN KEY (space_id, memory_id) REFERENCES longterm.long_term_memory(space_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY longterm.audit
    ADD CONSTRAINT audit_space_id_fkey FOREIGN KEY (space_id) REFERENCES core.spaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY longterm.evaluations
    ADD CONSTRAINT evaluations_space_id_session_id_fkey FOREIGN KEY (space_id, session_id) REFERENCES core.sessions(space_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY longterm.history
    ADD CONSTRAINT history_space_id_memory_id_fkey FOREIGN KEY (space_id, memory_id) REFERENCES longterm.long_term_memory(space_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY longterm.long_term_memory
    ADD CONSTRAINT long_term_memory_space_id_fkey FOREIGN KEY (space_id) REFERENCES core.spaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY longterm.sources
    ADD CONSTRAINT sources_space_id_memory_id_fkey FOREIGN KEY (space_id, memory_id) REFERENCES longterm.long_term_memory(space_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY tables.dirty_rows
    ADD CONSTRAINT dirty_rows_space_id_schema_id_fkey FOREIGN KEY (space_id, schema_id) REFERENCES tables.schemas(space_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY tables.embeddings
    ADD CONSTRAINT embeddings_space_id_schema_id_fkey FOREIGN KEY (space_id, schema_id) REFERENCES tables.schemas(space_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY tables.following
    ADD CONSTRAINT following_space_id_schema_id_fkey FOREIGN KEY (space_id, schema_id) REFERENCES tables.schemas(space_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY tables.grants
    ADD CONSTRAINT grants_space_id_schema_id_fkey FOREIGN KEY (space_id, schema_id) REFERENCES tables.schemas(space_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY tables.kept_vectors
    ADD CONSTRAINT kept_vectors_space_id_schema_id_fkey FOREIGN KEY (space_id, schema_id) REFERENCES tables.schemas(space_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY tables.passwords
    ADD CONSTRAINT passwords_space_id_schema_id_fkey FOREIGN KEY (space_id, schema_id) REFERENCES tables.schemas(space_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY tables.relations
    ADD CONSTRAINT relations_space_id_schema_id_fkey FOREIGN KEY (space_id, schema_id) REFERENCES tables.schemas(space_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY tables.schemas
    ADD CONSTRAINT schemas_space_id_fkey FOREIGN KEY (space_id) REFERENCES core.spaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY transcripts.extractions
    ADD CONSTRAINT extractions_space_id_session_id_fkey FOREIGN KEY (space_id, session_id) REFERENCES core.sessions(space_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY transcripts.files
    ADD CONSTRAINT files_space_id_fkey FOREIGN KEY (space_id) REFERENCES core.spaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY transcripts.indexing
    ADD CONSTRAINT indexing_space_id_fkey FOREIGN KEY (space_id) REFERENCES core.spaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY transcripts.lines
    ADD CONSTRAINT lines_space_id_message_id_fkey FOREIGN KEY (space_id, message_id) REFERENCES core.messages(space_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY transcripts.memories
    ADD CONSTRAINT memories_space_id_fkey FOREIGN KEY (space_id) REFERENCES core.spaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY transcripts.memories
    ADD CONSTRAINT memories_space_id_session_id_fkey FOREIGN KEY (space_id, session_id) REFERENCES core.sessions(space_id, name) ON DELETE SET NULL (session_id);

ALTER TABLE ONLY transcripts.memory_contradictions
    ADD CONSTRAINT memory_contradictions_space_id_contradicted_by_fkey FOREIGN KEY (space_id, contradicted_by) REFERENCES transcripts.memories(space_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY transcripts.memory_contradictions
    ADD CONSTRAINT memory_contradictions_space_id_memory_id_fkey FOREIGN KEY (space_id, memory_id) REFERENCES transcripts.memories(space_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY transcripts.memory_edits
    ADD CONSTRAINT memory_edits_space_id_memory_id_fkey FOREIGN KEY (space_id, memory_id) REFERENCES transcripts.memories(space_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY transcripts.memory_sources
    ADD CONSTRAINT memory_sources_space_id_memory_id_fkey FOREIGN KEY (space_id, memory_id) REFERENCES transcripts.memories(space_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY transcripts.memory_sources
    ADD CONSTRAINT memory_sources_space_id_session_id_fkey FOREIGN KEY (space_id, session_id) REFERENCES core.sessions(space_id, name) ON DELETE CASCADE;

ALTER TABLE ONLY transcripts.prompts
    ADD CONSTRAINT prompts_space_id_fkey FOREIGN KEY (space_id) REFERENCES core.spaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY transcripts.readers
    ADD CONSTRAINT readers_space_id_fkey FOREIGN KEY (space_id) REFERENCES core.spaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY transcripts.session_details
    ADD CONSTRAINT session_details_space_id_session_id_fkey FOREIGN KEY (space_id, session_id) REFERENCES core.sessions(space_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY transcripts.summaries
    ADD CONSTRAINT summaries_space_id_fkey FOREIGN KEY (space_id) REFERENCES core.spaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY transcripts.team_members
    ADD CONSTRAINT team_members_space_id_team_id_fkey FOREIGN KEY (space_id, team_id) REFERENCES transcripts.teams(space_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY transcripts.team_tasks
    ADD CONSTRAINT team_tasks_space_id_team_id_fkey FOREIGN KEY (space_id, team_id) REFERENCES transcripts.teams(space_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY transcripts.teams
    ADD CONSTRAINT teams_space_id_fkey FOREIGN KEY (space_id) REFERENCES core.spaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY transcripts.texts
    ADD CONSTRAINT texts_space_id_line_id_fkey FOREIGN KEY (space_id, line_id) REFERENCES transcripts.lines(space_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY transcripts.unindexed
    ADD CONSTRAINT unindexed_space_id_line_id_fkey FOREIGN KEY (space_id, line_id) REFERENCES transcripts.lines(space_id, id) ON DELETE CASCADE;

ALTER TABLE core.aliases ENABLE ROW LEVEL SECURITY;

CREATE POLICY arriving ON core.spaces FOR UPDATE TO quipu_owner USING (true);

ALTER TABLE core.at_commit ENABLE ROW LEVEL SECURITY;

ALTER TABLE core.carried_receipts ENABLE ROW LEVEL SECURITY;

ALTER TABLE core.corrections ENABLE ROW LEVEL SECURITY;

ALTER TABLE core.erasures ENABLE ROW LEVEL SECURITY;

ALTER TABLE core.exports ENABLE ROW LEVEL SECURITY;

ALTER TABLE core.imports ENABLE ROW LEVEL SECURITY;

ALTER TABLE core.kept_answers ENABLE ROW LEVEL SECURITY;

ALTER TABLE core.messages ENABLE ROW LEVEL SECURITY;

ALTER TABLE core.origins ENABLE ROW LEVEL SECURITY;

ALTER TABLE core.outbox ENABLE ROW LEVEL SECURITY;

CREATE POLICY own_space ON core.aliases USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON core.at_commit USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON core.carried_receipts USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON core.corrections USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON core.erasures USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON core.exports USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON core.imports USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON core.kept_answers USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON core.messages USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON core.origins USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON core.outbox USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON core.recall_entries USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON core.recall_names USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON core.recall_postings USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON core.recall_terms USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON core.recall_threads USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON core.recall_vectors USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON core.relations USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON core.removed_messages USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON core.sessions USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON core.space_settings USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON core.spaces USING ((name = ( SELECT current_setting('quipu.space'::text, true) AS current_setting)));

CREATE POLICY own_space ON core.standing_rules USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON core.tool_calls USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON core.unindexed_messages USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY person ON core.aliases AS RESTRICTIVE TO quipu_person USING ((EXISTS ( SELECT
   FROM core.messages m
  WHERE ((m.space_id = aliases.space_id) AND (m.id = aliases.message_id))
 OFFSET 0)));

CREATE POLICY person ON core.at_commit AS RESTRICTIVE TO quipu_person USING (((gone IS NULL) OR (cardinality(gone) = ( SELECT count(*) AS count
   FROM core.recall_entries e
  WHERE ((e.space_id = ( SELECT core.current_space() AS current_space)) AND (e.id = ANY (at_commit.gone)))))));

CREATE POLICY person ON core.corrections AS RESTRICTIVE TO quipu_person USING ((EXISTS ( SELECT
   FROM core.messages m
  WHERE ((m.space_id = corrections.space_id) AND (m.id = corrections.message_id))
 OFFSET 0)));

CREATE POLICY person ON core.messages AS RESTRICTIVE TO quipu_person USING (((user_name = ( SELECT core.current_person() AS current_person)) OR ((user_name IS NULL) AND (session_id IN ( SELECT s.id
   FROM core.sessions s
  WHERE (s.space_id = ( SELECT core.current_space() AS current_space))))))) WITH CHECK (((user_name = ( SELECT core.current_person() AS current_person)) AND ((session_id IS NULL) OR (session_id IN ( SELECT s.id
   FROM core.sessions s
  WHERE (s.space_id = ( SELECT core.current_space() AS current_space)))))));

CREATE POLICY person ON core.outbox AS RESTRICTIVE TO quipu_person USING (((user_name = ( SELECT core.current_person() AS current_person)) OR ((user_name IS NULL) AND (session IN ( SELECT s.name
   FROM core.sessions s
  WHERE (s.space_id = ( SELECT core.current_space() AS current_space)))))));

CREATE POLICY person ON core.recall_entries AS RESTRICTIVE TO quipu_person USING (((owner = ( SELECT core.number_of_person() AS number_of_person)) OR ((owner = 0) AND (id > 0) AND ((id >> 24) IN ( SELECT s.id
   FROM core.sessions s
  WHERE (s.space_id = ( SELECT core.current_space() AS current_space)))))));

CREATE POLICY person ON core.recall_postings AS RESTRICTIVE FOR SELECT TO quipu_person USING ((EXISTS ( SELECT
   FROM core.recall_entries e
  WHERE ((e.space_id = recall_postings.space_id) AND (e.id = recall_postings.entry_id))
 OFFSET 0)));

CREATE POLICY person ON core.recall_threads AS RESTRICTIVE TO quipu_person USING ((id IN ( SELECT s.id
   FROM core.sessions s
  WHERE (s.space_id = ( SELECT core.current_space() AS current_space)))));

CREATE POLICY person ON core.recall_vectors AS RESTRICTIVE FOR SELECT TO quipu_person USING (((EXISTS ( SELECT
   FROM core.recall_entries e
  WHERE ((e.space_id = recall_vectors.space_id) AND (e.id = recall_vectors.entry_id))
 OFFSET 0)) OR (NOT core.is_filed(entry_id))));

CREATE POLICY person ON core.relations AS RESTRICTIVE TO quipu_person USING (((EXISTS ( SELECT
   FROM core.messages m
  WHERE ((m.space_id = relations.space_id) AND (m.id = relations.newer))
 OFFSET 0)) AND (EXISTS ( SELECT
   FROM core.messages m
  WHERE ((m.space_id = relations.space_id) AND (m.id = relations.older))
 OFFSET 0))));

CREATE POLICY person ON core.removed_messages AS RESTRICTIVE TO quipu_person USING (((user_name = ( SELECT core.current_person() AS current_person)) OR ((user_name IS NULL) AND (session_id IN ( SELECT s.id
   FROM core.sessions s
  WHERE (s.space_id = ( SELECT core.current_space() AS current_space)))))));

CREATE POLICY person ON core.sessions AS RESTRICTIVE TO quipu_person USING ((belongs_to = ( SELECT core.current_person() AS current_person)));

CREATE POLICY person ON core.standing_rules AS RESTRICTIVE TO quipu_person USING (((user_name = ( SELECT core.current_person() AS current_person)) OR ((user_name IS NULL) AND ((message_id IS NULL) OR (EXISTS ( SELECT
   FROM core.messages m
  WHERE ((m.space_id = standing_rules.space_id) AND (m.id = standing_rules.message_id))
 OFFSET 0)))))) WITH CHECK ((user_name = ( SELECT core.current_person() AS current_person)));

CREATE POLICY person ON core.tool_calls AS RESTRICTIVE TO quipu_person USING ((session_id IN ( SELECT s.id
   FROM core.sessions s
  WHERE (s.space_id = ( SELECT core.current_space() AS current_space)))));

CREATE POLICY person ON core.unindexed_messages AS RESTRICTIVE TO quipu_person USING ((EXISTS ( SELECT
   FROM core.messages o
  WHERE ((o.space_id = unindexed_messages.space_id) AND (o.id = unindexed_messages.message_id)))));

ALTER TABLE core.recall_entries ENABLE ROW LEVEL SECURITY;

ALTER TABLE core.recall_names ENABLE ROW LEVEL SECURITY;

ALTER TABLE core.recall_postings ENABLE ROW LEVEL SECURITY;

ALTER TABLE core.recall_terms ENABLE ROW LEVEL SECURITY;

ALTER TABLE core.recall_threads ENABLE ROW LEVEL SECURITY;

ALTER TABLE core.recall_vectors ENABLE ROW LEVEL SECURITY;

ALTER TABLE core.relations ENABLE ROW LEVEL SECURITY;

CREATE POLICY relay ON core.outbox TO quipu_relay USING (true) WITH CHECK (true);

CREATE POLICY relay ON core.spaces FOR SELECT TO quipu_relay USING (true);

ALTER TABLE core.removed_messages ENABLE ROW LEVEL SECURITY;

CREATE POLICY rows_of_agents ON core.recall_entries FOR SELECT TO quipu_owner USING ((kind = 6));

CREATE POLICY rows_of_agents ON core.recall_vectors FOR SELECT TO quipu_owner USING ((entry_id < 0));

CREATE POLICY seen ON core.messages AS RESTRICTIVE TO quipu_see USING ((space_id = ( SELECT transcripts.reader_space() AS reader_space)));

CREATE POLICY seen ON core.sessions AS RESTRICTIVE TO quipu_see USING ((space_id = ( SELECT transcripts.reader_space() AS reader_space)));

ALTER TABLE core.sessions ENABLE ROW LEVEL SECURITY;

ALTER TABLE core.space_settings ENABLE ROW LEVEL SECURITY;

ALTER TABLE core.spaces ENABLE ROW LEVEL SECURITY;

ALTER TABLE core.standing_rules ENABLE ROW LEVEL SECURITY;

ALTER TABLE core.tool_calls ENABLE ROW LEVEL SECURITY;

ALTER TABLE core.unindexed_messages ENABLE ROW LEVEL SECURITY;

CREATE POLICY unused ON core.recall_names AS RESTRICTIVE FOR DELETE TO quipu_person USING ((NOT core.name_is_used(id)));

CREATE POLICY upkeep ON core.erasures FOR SELECT TO quipu_owner USING (true);

CREATE POLICY upkeep ON core.spaces FOR SELECT TO quipu_owner USING (true);

CREATE POLICY upkeep_drops ON core.kept_answers FOR DELETE TO quipu_owner USING (true);

CREATE POLICY upkeep_sees ON core.kept_answers FOR SELECT TO quipu_owner USING (true);

ALTER TABLE documents.documents ENABLE ROW LEVEL SECURITY;

CREATE POLICY own_space ON documents.documents USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON documents.passages USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON documents.vectors USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON documents.versions USING ((space_id = ( SELECT core.current_space() AS current_space)));

ALTER TABLE documents.passages ENABLE ROW LEVEL SECURITY;

CREATE POLICY person ON documents.documents AS RESTRICTIVE TO quipu_person USING ((user_name = ( SELECT core.current_person() AS current_person)));

CREATE POLICY person ON documents.passages AS RESTRICTIVE TO quipu_person USING ((EXISTS ( SELECT
   FROM documents.documents o
  WHERE ((o.space_id = passages.space_id) AND (o.id = passages.document_id)))));

CREATE POLICY person ON documents.vectors AS RESTRICTIVE TO quipu_person USING ((EXISTS ( SELECT
   FROM documents.documents o
  WHERE ((o.space_id = vectors.space_id) AND (o.id = vectors.document_id)))));

CREATE POLICY person ON documents.versions AS RESTRICTIVE TO quipu_person USING ((user_name = ( SELECT core.current_person() AS current_person)));

ALTER TABLE documents.vectors ENABLE ROW LEVEL SECURITY;

ALTER TABLE documents.versions ENABLE ROW LEVEL SECURITY;

ALTER TABLE episodes.accesses ENABLE ROW LEVEL SECURITY;

ALTER TABLE episodes.belief_sources ENABLE ROW LEVEL SECURITY;

ALTER TABLE episodes.beliefs ENABLE ROW LEVEL SECURITY;

ALTER TABLE episodes.conflicts ENABLE ROW LEVEL SECURITY;

ALTER TABLE episodes.conversation_details ENABLE ROW LEVEL SECURITY;

ALTER TABLE episodes.episode_history ENABLE ROW LEVEL SECURITY;

ALTER TABLE episodes.episode_messages ENABLE ROW LEVEL SECURITY;

ALTER TABLE episodes.exchanges ENABLE ROW LEVEL SECURITY;

ALTER TABLE episodes.loop_messages ENABLE ROW LEVEL SECURITY;

ALTER TABLE episodes.loops ENABLE ROW LEVEL SECURITY;

ALTER TABLE episodes.message_details ENABLE ROW LEVEL SECURITY;

CREATE POLICY own_space ON episodes.accesses USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON episodes.belief_sources USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON episodes.beliefs USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON episodes.conflicts USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON episodes.conversation_details USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON episodes.episode_history USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON episodes.episode_messages USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON episodes.exchanges USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON episodes.loop_messages USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON episodes.loops USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON episodes.message_details USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON episodes.progress USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON episodes.prompts USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON episodes.stored_episodes USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON episodes.threads USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON episodes.topics USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY person ON episodes.accesses AS RESTRICTIVE TO quipu_person USING ((EXISTS ( SELECT
   FROM episodes.stored_episodes o
  WHERE ((o.space_id = accesses.space_id) AND (o.id = accesses.episode_id)))));

CREATE POLICY person ON episodes.belief_sources AS RESTRICTIVE TO quipu_person USING ((EXISTS ( SELECT
   FROM episodes.beliefs o
  WHERE ((o.space_id = belief_sources.space_id) AND (o.id = belief_sources.belief_id)))));

CREATE POLICY person ON episodes.beliefs AS RESTRICTIVE TO quipu_person USING (((user_name = ( SELECT core.current_person() AS current_person)) AND episodes.belief_is_of_person(id)));

CREATE POLICY person ON episodes.conflicts AS RESTRICTIVE TO quipu_person USING ((( SELECT count(*) AS count
   FROM episodes.beliefs b
  WHERE ((b.space_id = conflicts.space_id) AND (b.id = ANY (ARRAY[conflicts.belief_id, conflicts.rival_id])))) = 2));

CREATE POLICY person ON episodes.conversation_details AS RESTRICTIVE TO quipu_person USING ((session_id IN ( SELECT s.id
   FROM core.sessions s
  WHERE (s.space_id = ( SELECT core.current_space() AS current_space)))));

CREATE POLICY person ON episodes.episode_history AS RESTRICTIVE TO quipu_person USING ((EXISTS ( SELECT
   FROM episodes.stored_episodes o
  WHERE ((o.space_id = episode_history.space_id) AND (o.id = episode_history.episode_id)))));

CREATE POLICY person ON episodes.episode_messages AS RESTRICTIVE TO quipu_person USING ((EXISTS ( SELECT
   FROM episodes.stored_episodes o
  WHERE ((o.space_id = episode_messages.space_id) AND (o.id = episode_messages.episode_id)))));

CREATE POLICY person ON episodes.exchanges AS RESTRICTIVE TO quipu_person USING ((session_id IN ( SELECT s.id
   FROM core.sessions s
  WHERE (s.space_id = ( SELECT core.current_space() AS current_space)))));

CREATE POLICY person ON episodes.loop_messages AS RESTRICTIVE TO quipu_person USING ((EXISTS ( SELECT
   FROM episodes.loops o
  WHERE ((o.space_id = loop_messages.space_id) AND (o.id = loop_messages.loop_id)))));

CREATE POLICY person ON episodes.loops AS RESTRICTIVE TO quipu_person USING ((session_id IN ( SELECT s.id
   FROM core.sessions s
  WHERE (s.space_id = ( SELECT core.current_space() AS current_space)))));

CREATE POLICY person ON episodes.message_details AS RESTRICTIVE TO quipu_person USING ((EXISTS ( SELECT
   FROM core.messages o
  WHERE ((o.space_id = message_details.space_id) AND (o.id = message_details.message_id)))));

CREATE POLICY person ON episodes.progress AS RESTRICTIVE TO quipu_person USING ((session_id IN ( SELECT s.id
   FROM core.sessions s
  WHERE (s.space_id = ( SELECT core.current_space() AS current_space)))));

CREATE POLICY person ON episodes.stored_episodes AS RESTRICTIVE TO quipu_person USING (((user_name = ( SELECT core.current_person() AS current_person)) AND episodes.episode_is_of_person(id) AND ((session_id IS NULL) OR (session_id IN ( SELECT s.id
   FROM core.sessions s
  WHERE (s.space_id = ( SELECT core.current_space() AS current_space)))))));

CREATE POLICY person ON episodes.threads AS RESTRICTIVE TO quipu_person USING ((user_name = ( SELECT core.current_person() AS current_person)));

CREATE POLICY person ON episodes.topics AS RESTRICTIVE TO quipu_person USING (((user_name = ( SELECT core.current_person() AS current_person)) AND episodes.topic_is_of_person(id)));

ALTER TABLE episodes.progress ENABLE ROW LEVEL SECURITY;

ALTER TABLE episodes.prompts ENABLE ROW LEVEL SECURITY;

ALTER TABLE episodes.stored_episodes ENABLE ROW LEVEL SECURITY;

ALTER TABLE episodes.threads ENABLE ROW LEVEL SECURITY;

ALTER TABLE episodes.topics ENABLE ROW LEVEL SECURITY;

ALTER TABLE ledger.chat_competitor_checks ENABLE ROW LEVEL SECURITY;

ALTER TABLE ledger.chat_fallbacks ENABLE ROW LEVEL SECURITY;

ALTER TABLE ledger.chat_memory_events ENABLE ROW LEVEL SECURITY;

ALTER TABLE ledger.chat_recommendation_evidence ENABLE ROW LEVEL SECURITY;

ALTER TABLE ledger.chat_recommendations ENABLE ROW LEVEL SECURITY;

ALTER TABLE ledger.chat_review_signal_runs ENABLE ROW LEVEL SECURITY;

ALTER TABLE ledger.chat_session_memory ENABLE ROW LEVEL SECURITY;

ALTER TABLE ledger.chat_user_preferences ENABLE ROW LEVEL SECURITY;

ALTER TABLE ledger.filing_marks ENABLE ROW LEVEL SECURITY;

CREATE POLICY own_space ON ledger.chat_competitor_checks USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON ledger.chat_fallbacks USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON ledger.chat_memory_events USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON ledger.chat_recommendation_evidence USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON ledger.chat_recommendations USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON ledger.chat_review_signal_runs USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON ledger.chat_session_memory USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON ledger.chat_user_preferences USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON ledger.filing_marks USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON ledger.session_details USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON ledger.shapes USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON ledger.source_runs USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY person ON ledger.chat_competitor_checks AS RESTRICTIVE TO quipu_person USING ((session_id IN ( SELECT s.uid
   FROM core.sessions s
  WHERE (s.space_id = ( SELECT core.current_space() AS current_space)))));

CREATE POLICY person ON ledger.chat_fallbacks AS RESTRICTIVE TO quipu_person USING ((session_id IN ( SELECT s.uid
   FROM core.sessions s
  WHERE (s.space_id = ( SELECT core.current_space() AS current_space)))));

CREATE POLICY person ON ledger.chat_memory_events AS RESTRICTIVE TO quipu_person USING (((distinct_id = ( SELECT core.current_person() AS current_person)) OR ((distinct_id IS NULL) AND (session_id IN ( SELECT s.uid
   FROM core.sessions s
  WHERE (s.space_id = ( SELECT core.current_space() AS current_space)))))));

CREATE POLICY person ON ledger.chat_recommendation_evidence AS RESTRICTIVE TO quipu_person USING ((session_id IN ( SELECT s.uid
   FROM core.sessions s
  WHERE (s.space_id = ( SELECT core.current_space() AS current_space)))));

CREATE POLICY person ON ledger.chat_recommendations AS RESTRICTIVE TO quipu_person USING ((session_id IN ( SELECT s.uid
   FROM core.sessions s
  WHERE (s.space_id = ( SELECT core.current_space() AS current_space)))));

CREATE POLICY person ON ledger.chat_review_signal_runs AS RESTRICTIVE TO quipu_person USING ((session_id IN ( SELECT s.uid
   FROM core.sessions s
  WHERE (s.space_id = ( SELECT core.current_space() AS current_space)))));

CREATE POLICY person ON ledger.chat_session_memory AS RESTRICTIVE TO quipu_person USING ((session_id IN ( SELECT s.uid
   FROM core.sessions s
  WHERE (s.space_id = ( SELECT core.current_space() AS current_space)))));

CREATE POLICY person ON ledger.chat_user_preferences AS RESTRICTIVE TO quipu_person USING ((distinct_id = ( SELECT core.current_person() AS current_person)));

CREATE POLICY person ON ledger.session_details AS RESTRICTIVE TO quipu_person USING ((session_id IN ( SELECT s.uid
   FROM core.sessions s
  WHERE (s.space_id = ( SELECT core.current_space() AS current_space)))));

ALTER TABLE ledger.session_details ENABLE ROW LEVEL SECURITY;

ALTER TABLE ledger.shapes ENABLE ROW LEVEL SECURITY;

ALTER TABLE ledger.source_runs ENABLE ROW LEVEL SECURITY;

ALTER TABLE longterm.audit ENABLE ROW LEVEL SECURITY;

ALTER TABLE longterm.audit_memories ENABLE ROW LEVEL SECURITY;

ALTER TABLE longterm.evaluations ENABLE ROW LEVEL SECURITY;

ALTER TABLE longterm.history ENABLE ROW LEVEL SECURITY;

ALTER TABLE longterm.long_term_memory ENABLE ROW LEVEL SECURITY;

CREATE POLICY own_space ON longterm.audit USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON longterm.audit_memories USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON longterm.evaluations USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON longterm.history USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON longterm.long_term_memory USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON longterm.sources USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY person ON longterm.audit AS RESTRICTIVE TO quipu_person USING ((user_name = ( SELECT core.current_person() AS current_person)));

CREATE POLICY person ON longterm.audit_memories AS RESTRICTIVE TO quipu_person USING ((EXISTS ( SELECT
   FROM longterm.audit o
  WHERE ((o.space_id = audit_memories.space_id) AND (o.id = audit_memories.audit_id)))));

CREATE POLICY person ON longterm.evaluations AS RESTRICTIVE TO quipu_person USING ((session_id IN ( SELECT s.id
   FROM core.sessions s
  WHERE (s.space_id = ( SELECT core.current_space() AS current_space)))));

CREATE POLICY person ON longterm.history AS RESTRICTIVE TO quipu_person USING ((EXISTS ( SELECT
   FROM longterm.long_term_memory o
  WHERE ((o.space_id = history.space_id) AND (o.id = history.memory_id)))));

CREATE POLICY person ON longterm.long_term_memory AS RESTRICTIVE TO quipu_person USING (((user_name = ( SELECT core.current_person() AS current_person)) AND longterm.is_of_person(id)));

CREATE POLICY person ON longterm.sources AS RESTRICTIVE TO quipu_person USING ((EXISTS ( SELECT
   FROM longterm.long_term_memory m
  WHERE ((m.space_id = sources.space_id) AND (m.id = sources.memory_id))))) WITH CHECK (core.are_of_person(ARRAY[message_id]));

ALTER TABLE longterm.sources ENABLE ROW LEVEL SECURITY;

ALTER TABLE tables.dirty_rows ENABLE ROW LEVEL SECURITY;

ALTER TABLE tables.embeddings ENABLE ROW LEVEL SECURITY;

CREATE POLICY engine ON tables.dirty_rows TO quipu_owner USING (true);

CREATE POLICY engine ON tables.embeddings TO quipu_owner USING (true);

CREATE POLICY engine ON tables.following TO quipu_owner USING (true);

CREATE POLICY engine ON tables.grants TO quipu_owner USING (true);

CREATE POLICY engine ON tables.kept_vectors TO quipu_owner USING (true);

CREATE POLICY engine ON tables.passwords TO quipu_owner USING (true);

CREATE POLICY engine ON tables.relations TO quipu_owner USING (true);

CREATE POLICY engine ON tables.schemas TO quipu_owner USING (true);

ALTER TABLE tables.following ENABLE ROW LEVEL SECURITY;

ALTER TABLE tables.grants ENABLE ROW LEVEL SECURITY;

ALTER TABLE tables.kept_vectors ENABLE ROW LEVEL SECURITY;

CREATE POLICY own_space ON tables.dirty_rows USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON tables.embeddings USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON tables.following USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON tables.grants USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON tables.kept_vectors USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON tables.passwords USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON tables.relations USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON tables.schemas USING ((space_id = ( SELECT core.current_space() AS current_space)));

ALTER TABLE tables.passwords ENABLE ROW LEVEL SECURITY;

ALTER TABLE tables.relations ENABLE ROW LEVEL SECURITY;

ALTER TABLE tables.schemas ENABLE ROW LEVEL SECURITY;

ALTER TABLE transcripts.extractions ENABLE ROW LEVEL SECURITY;

ALTER TABLE transcripts.files ENABLE ROW LEVEL SECURITY;

ALTER TABLE transcripts.indexing ENABLE ROW LEVEL SECURITY;

ALTER TABLE transcripts.lines ENABLE ROW LEVEL SECURITY;

CREATE POLICY logins ON transcripts.readers TO quipu_owner USING (true);

CREATE POLICY looking ON transcripts.texts FOR SELECT TO quipu_owner USING (true);

ALTER TABLE transcripts.memories ENABLE ROW LEVEL SECURITY;

ALTER TABLE transcripts.memory_contradictions ENABLE ROW LEVEL SECURITY;

ALTER TABLE transcripts.memory_edits ENABLE ROW LEVEL SECURITY;

ALTER TABLE transcripts.memory_sources ENABLE ROW LEVEL SECURITY;

CREATE POLICY own_space ON transcripts.extractions USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON transcripts.files USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON transcripts.indexing USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON transcripts.lines USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON transcripts.memories USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON transcripts.memory_contradictions USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON transcripts.memory_edits USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON transcripts.memory_sources USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON transcripts.prompts USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON transcripts.readers USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON transcripts.responses USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON transcripts.session_details USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON transcripts.summaries USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON transcripts.team_members USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON transcripts.team_tasks USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON transcripts.teams USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON transcripts.texts USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON transcripts.tool_calls USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON transcripts.tool_results USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON transcripts.unindexed USING ((space_id = ( SELECT core.current_space() AS current_space)));

ALTER TABLE transcripts.prompts ENABLE ROW LEVEL SECURITY;

ALTER TABLE transcripts.readers ENABLE ROW LEVEL SECURITY;

ALTER TABLE transcripts.responses ENABLE ROW LEVEL SECURITY;

CREATE POLICY seen ON transcripts.extractions AS RESTRICTIVE TO quipu_see USING ((space_id = ( SELECT transcripts.reader_space() AS reader_space)));

CREATE POLICY seen ON transcripts.files AS RESTRICTIVE TO quipu_see USING ((space_id = ( SELECT transcripts.reader_space() AS reader_space)));

CREATE POLICY seen ON transcripts.lines AS RESTRICTIVE TO quipu_see USING ((space_id = ( SELECT transcripts.reader_space() AS reader_space)));

CREATE POLICY seen ON transcripts.memories AS RESTRICTIVE TO quipu_see USING ((space_id = ( SELECT transcripts.reader_space() AS reader_space)));

CREATE POLICY seen ON transcripts.memory_contradictions AS RESTRICTIVE TO quipu_see USING ((space_id = ( SELECT transcripts.reader_space() AS reader_space)));

CREATE POLICY seen ON transcripts.memory_edits AS RESTRICTIVE TO quipu_see USING ((space_id = ( SELECT transcripts.reader_space() AS reader_space)));

CREATE POLICY seen ON transcripts.memory_sources AS RESTRICTIVE TO quipu_see USING ((space_id = ( SELECT transcripts.reader_space() AS reader_space)));

CREATE POLICY seen ON transcripts.prompts AS RESTRICTIVE TO quipu_see USING ((space_id = ( SELECT transcripts.reader_space() AS reader_space)));

CREATE POLICY seen ON transcripts.responses AS RESTRICTIVE TO quipu_see USING ((space_id = ( SELECT transcripts.reader_space() AS reader_space)));

CREATE POLICY seen ON transcripts.session_details AS RESTRICTIVE TO quipu_see USING ((space_id = ( SELECT transcripts.reader_space() AS reader_space)));

CREATE POLICY seen ON transcripts.summaries AS RESTRICTIVE TO quipu_see USING ((space_id = ( SELECT transcripts.reader_space() AS reader_space)));

CREATE POLICY seen ON transcripts.team_members AS RESTRICTIVE TO quipu_see USING ((space_id = ( SELECT transcripts.reader_space() AS reader_space)));

CREATE POLICY seen ON transcripts.team_tasks AS RESTRICTIVE TO quipu_see USING ((space_id = ( SELECT transcripts.reader_space() AS reader_space)));

CREATE POLICY seen ON transcripts.teams AS RESTRICTIVE TO quipu_see USING ((space_id = ( SELECT transcripts.reader_space() AS reader_space)));

CREATE POLICY seen ON transcripts.tool_calls AS RESTRICTIVE TO quipu_see USING ((space_id = ( SELECT transcripts.reader_space() AS reader_space)));

CREATE POLICY seen ON transcripts.tool_results AS RESTRICTIVE TO quipu_see USING ((space_id = ( SELECT transcripts.reader_space() AS reader_space)));

ALTER TABLE transcripts.session_details ENABLE ROW LEVEL SECURITY;

ALTER TABLE transcripts.summaries ENABLE ROW LEVEL SECURITY;

ALTER TABLE transcripts.team_members ENABLE ROW LEVEL SECURITY;

ALTER TABLE transcripts.team_tasks ENABLE ROW LEVEL SECURITY;

ALTER TABLE transcripts.teams ENABLE ROW LEVEL SECURITY;

ALTER TABLE transcripts.texts ENABLE ROW LEVEL SECURITY;

ALTER TABLE transcripts.tool_calls ENABLE ROW LEVEL SECURITY;

ALTER TABLE transcripts.tool_results ENABLE ROW LEVEL SECURITY;

ALTER TABLE transcripts.unindexed ENABLE ROW LEVEL SECURITY;

GRANT USAGE ON SCHEMA core TO quipu_app;
GRANT USAGE ON SCHEMA core TO quipu_person;
GRANT USAGE ON SCHEMA core TO quipu_relay;

GRANT USAGE ON SCHEMA documents TO quipu_app;
GRANT USAGE ON SCHEMA documents TO quipu_person;

GRANT USAGE ON SCHEMA episodes TO quipu_app;
GRANT USAGE ON SCHEMA episodes TO quipu_person;

GRANT USAGE ON SCHEMA ledger TO quipu_app;
GRANT USAGE ON SCHEMA ledger TO quipu_person;

GRANT USAGE ON SCHEMA longterm TO quipu_app;
GRANT USAGE ON SCHEMA longterm TO quipu_person;

GRANT USAGE ON SCHEMA queue TO quipu_relay;

GRANT USAGE ON SCHEMA tables TO quipu_app;
GRANT USAGE ON SCHEMA tables TO PUBLIC;

GRANT USAGE ON SCHEMA transcripts TO quipu_app;
GRANT USAGE ON SCHEMA transcripts TO quipu_see;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE core.messages TO quipu_app;
GRANT SELECT,INSERT,UPDATE ON TABLE core.messages TO quipu_person;
GRANT SELECT ON TABLE core.messages TO quipu_see;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE core.sessions TO quipu_app;
GRANT SELECT,INSERT,UPDATE ON TABLE core.sessions TO quipu_person;
GRANT SELECT ON TABLE core.sessions TO quipu_see;

REVOKE ALL ON FUNCTION core.ask_for_space_in(schema text) FROM PUBLIC;

REVOKE ALL ON FUNCTION core.count_api_keys() FROM PUBLIC;
GRANT ALL ON FUNCTION core.count_api_keys() TO quipu_app;

REVOKE ALL ON FUNCTION core.count_api_keys_of_person(person text) FROM PUBLIC;
GRANT ALL ON FUNCTION core.count_api_keys_of_person(person text) TO quipu_app;

REVOKE ALL ON FUNCTION core.count_api_keys_of_space() FROM PUBLIC;
GRANT ALL ON FUNCTION core.count_api_keys_of_space() TO quipu_app;

REVOKE ALL ON FUNCTION core.drop_api_keys_of_person(person text) FROM PUBLIC;
GRANT ALL ON FUNCTION core.drop_api_keys_of_person(person text) TO quipu_app;

REVOKE ALL ON FUNCTION core.drop_api_keys_of_space() FROM PUBLIC;
GRANT ALL ON FUNCTION core.drop_api_keys_of_space() TO quipu_app;

REVOKE ALL ON FUNCTION core.drop_ended_signins(at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION core.drop_ended_signins(at timestamp with time zone) TO quipu_app;

REVOKE ALL ON FUNCTION core.drop_kept_answers(before timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION core.drop_kept_answers(before timestamp with time zone) TO quipu_app;

REVOKE ALL ON FUNCTION core.drop_origins() FROM PUBLIC;

REVOKE ALL ON FUNCTION core.drop_origins_of_messages() FROM PUBLIC;

REVOKE ALL ON FUNCTION core.drop_raw() FROM PUBLIC;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE core.spaces TO quipu_app;
GRANT SELECT,INSERT,UPDATE ON TABLE core.spaces TO quipu_person;

GRANT SELECT(id) ON TABLE core.spaces TO quipu_relay;

GRANT SELECT(name) ON TABLE core.spaces TO quipu_relay;

GRANT SELECT(epoch) ON TABLE core.spaces TO quipu_relay;

REVOKE ALL ON FUNCTION core.equip_people() FROM PUBLIC;

REVOKE ALL ON FUNCTION core.erased_among(space text, kind text, sessions text[], ids text[], times timestamp with time zone[], users text[], speakers text[], began timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION core.erased_among(space text, kind text, sessions text[], ids text[], times timestamp with time zone[], users text[], speakers text[], began timestamp with time zone) TO quipu_app;

REVOKE ALL ON FUNCTION core.erased_sessions(space text, names text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION core.erased_sessions(space text, names text[]) TO quipu_app;

REVOKE ALL ON FUNCTION core.erasure_names_key() FROM PUBLIC;
GRANT ALL ON FUNCTION core.erasure_names_key() TO quipu_app;

REVOKE ALL ON FUNCTION core.erasure_public_key() FROM PUBLIC;
GRANT ALL ON FUNCTION core.erasure_public_key() TO quipu_app;

REVOKE ALL ON FUNCTION core.extend_erasure_chain(new_number bigint, new_digest bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION core.extend_erasure_chain(new_number bigint, new_digest bytea) TO quipu_app;

REVOKE ALL ON FUNCTION core.find_api_key(wanted text) FROM PUBLIC;
GRANT ALL ON FUNCTION core.find_api_key(wanted text) TO quipu_app;

REVOKE ALL ON FUNCTION core.gone_space(wanted text, receipt uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION core.gone_space(wanted text, receipt uuid) TO quipu_app;

REVOKE ALL ON FUNCTION core.harden() FROM PUBLIC;

REVOKE ALL ON FUNCTION core.has_erased(space text) FROM PUBLIC;
GRANT ALL ON FUNCTION core.has_erased(space text) TO quipu_app;

REVOKE ALL ON FUNCTION core.hold_erasure_chain(new_signing bytea, new_public bytea, OUT signing bytea, OUT number bigint, OUT digest bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION core.hold_erasure_chain(new_signing bytea, new_public bytea, OUT signing bytea, OUT number bigint, OUT digest bytea) TO quipu_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE core.recall_entries TO quipu_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE core.recall_entries TO quipu_person;

REVOKE ALL ON FUNCTION core.is_signed_in(session bytea, at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION core.is_signed_in(session bytea, at timestamp with time zone) TO quipu_app;

GRANT SELECT,INSERT,DELETE ON TABLE core.at_commit TO quipu_app;
GRANT SELECT,INSERT ON TABLE core.at_commit TO quipu_person;

REVOKE ALL ON FUNCTION core.moved_to(wanted text) FROM PUBLIC;
GRANT ALL ON FUNCTION core.moved_to(wanted text) TO quipu_app;
GRANT ALL ON FUNCTION core.moved_to(wanted text) TO quipu_person;

REVOKE ALL ON FUNCTION core.note_arrived(come text, number integer) FROM PUBLIC;
GRANT ALL ON FUNCTION core.note_arrived(come text, number integer) TO quipu_app;

REVOKE ALL ON FUNCTION core.note_erased(space text, kind text, sessions text[], ids text[], until timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION core.note_erased(space text, kind text, sessions text[], ids text[], until timestamp with time zone) TO quipu_app;

REVOKE ALL ON FUNCTION core.note_moved(gone text, home text) FROM PUBLIC;
GRANT ALL ON FUNCTION core.note_moved(gone text, home text) TO quipu_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE core.recall_names TO quipu_app;
GRANT SELECT,INSERT,DELETE ON TABLE core.recall_names TO quipu_person;

REVOKE ALL ON FUNCTION core.number_on() FROM PUBLIC;
GRANT ALL ON FUNCTION core.number_on() TO quipu_app;

REVOKE ALL ON FUNCTION core.open_rights() FROM PUBLIC;

REVOKE ALL ON FUNCTION core.place_of(wanted text) FROM PUBLIC;
GRANT ALL ON FUNCTION core.place_of(wanted text) TO quipu_app;

REVOKE ALL ON FUNCTION core.place_space(wanted text, home text) FROM PUBLIC;
GRANT ALL ON FUNCTION core.place_space(wanted text, home text) TO quipu_app;

REVOKE ALL ON FUNCTION core.redeem_signin_link(link bytea, session bytea, at timestamp with time zone, until timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION core.redeem_signin_link(link bytea, session bytea, at timestamp with time zone, until timestamp with time zone) TO quipu_app;

REVOKE ALL ON FUNCTION core.reserve_language_tokens(on_day date, purpose_name text, wanted bigint, most bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION core.reserve_language_tokens(on_day date, purpose_name text, wanted bigint, most bigint) TO quipu_app;

REVOKE ALL ON FUNCTION core.settle_language_tokens(on_day date, purpose_name text, difference bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION core.settle_language_tokens(on_day date, purpose_name text, difference bigint) TO quipu_app;

REVOKE ALL ON FUNCTION core.shared_sessions_of_person() FROM PUBLIC;
GRANT ALL ON FUNCTION core.shared_sessions_of_person() TO quipu_person;

REVOKE ALL ON FUNCTION core.sign_out(session bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION core.sign_out(session bytea) TO quipu_app;

REVOKE ALL ON FUNCTION core.space_was_erased(wanted text, since timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION core.space_was_erased(wanted text, since timestamp with time zone) TO quipu_app;

REVOKE ALL ON FUNCTION core.tombstone(secret bytea, parts text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION core.tombstone_parts(space text, kind text, session text, id text) FROM PUBLIC;

REVOKE ALL ON FUNCTION core.touch_api_keys(used text[], at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION core.touch_api_keys(used text[], at timestamp with time zone) TO quipu_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE documents.documents TO quipu_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE documents.documents TO quipu_person;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE episodes.belief_sources TO quipu_app;
GRANT SELECT ON TABLE episodes.belief_sources TO quipu_person;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE episodes.episode_messages TO quipu_app;
GRANT SELECT ON TABLE episodes.episode_messages TO quipu_person;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE episodes.exchanges TO quipu_app;
GRANT SELECT ON TABLE episodes.exchanges TO quipu_person;

REVOKE ALL ON FUNCTION ledger.count_evidence(recommendations bigint[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION ledger.erase_actor(name text) FROM PUBLIC;
GRANT ALL ON FUNCTION ledger.erase_actor(name text) TO quipu_app;

REVOKE ALL ON FUNCTION ledger.erase_events(ids bigint[]) FROM PUBLIC;
GRANT ALL ON FUNCTION ledger.erase_events(ids bigint[]) TO quipu_app;

REVOKE ALL ON FUNCTION ledger.erase_events_of_sessions(sessions uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION ledger.erase_events_of_sessions(sessions uuid[]) TO quipu_app;

REVOKE ALL ON FUNCTION ledger.follow(event bigint, evidence bigint) FROM PUBLIC;

GRANT SELECT,INSERT ON TABLE ledger.chat_memory_events TO quipu_app;
GRANT SELECT,DELETE ON TABLE ledger.chat_memory_events TO quipu_eraser;
GRANT SELECT,INSERT ON TABLE ledger.chat_memory_events TO quipu_person;

GRANT UPDATE(session_id) ON TABLE ledger.chat_memory_events TO quipu_eraser;

GRANT UPDATE(actor) ON TABLE ledger.chat_memory_events TO quipu_eraser;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE longterm.sources TO quipu_app;
GRANT SELECT,INSERT,UPDATE ON TABLE longterm.sources TO quipu_person;

REVOKE ALL ON FUNCTION tables.discard(doomed integer) FROM PUBLIC;
GRANT ALL ON FUNCTION tables.discard(doomed integer) TO quipu_app;

REVOKE ALL ON FUNCTION tables.drop_discarded_roles() FROM PUBLIC;

REVOKE ALL ON FUNCTION tables.find_again(in_schema integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION tables.follow_structure() FROM PUBLIC;

REVOKE ALL ON FUNCTION tables.found(short_name text, physical_name text, about text, writer_role text, reader_role text, writer_secret text, reader_secret text, writer_pass text, reader_pass text) FROM PUBLIC;

REVOKE ALL ON FUNCTION tables.furnish(made integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION tables.furnish_embeddings(made integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION tables.hold_still() FROM PUBLIC;
GRANT ALL ON FUNCTION tables.hold_still() TO quipu_app;

REVOKE ALL ON FUNCTION tables.note_rows() FROM PUBLIC;

REVOKE ALL ON FUNCTION tables.parts_of(in_relation oid) FROM PUBLIC;
GRANT ALL ON FUNCTION tables.parts_of(in_relation oid) TO quipu_app;

REVOKE ALL ON FUNCTION tables.refuse_virtual() FROM PUBLIC;

REVOKE ALL ON FUNCTION tables.set_passwords(schema integer, writer_secret text, reader_secret text, writer_pass text, reader_pass text) FROM PUBLIC;

REVOKE ALL ON FUNCTION tables.take_out_schema() FROM PUBLIC;

REVOKE ALL ON FUNCTION tables.told_rights(acl aclitem[], writer oid, reader oid) FROM PUBLIC;

REVOKE ALL ON FUNCTION tables.watch(in_schema integer) FROM PUBLIC;
GRANT ALL ON FUNCTION tables.watch(in_schema integer) TO quipu_app;

REVOKE ALL ON FUNCTION tables.watch_found(in_schema integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION tables.watch_of(relation oid, id integer) FROM PUBLIC;
GRANT ALL ON FUNCTION tables.watch_of(relation oid, id integer) TO quipu_app;

REVOKE ALL ON FUNCTION tables.watches(relations oid[], ids integer[]) FROM PUBLIC;
GRANT ALL ON FUNCTION tables.watches(relations oid[], ids integer[]) TO quipu_app;

REVOKE ALL ON FUNCTION tables.write_embedding() FROM PUBLIC;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE transcripts.lines TO quipu_app;
GRANT SELECT ON TABLE transcripts.lines TO quipu_see;

REVOKE ALL ON FUNCTION transcripts.discard_reader() FROM PUBLIC;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE transcripts.extractions TO quipu_app;
GRANT SELECT ON TABLE transcripts.extractions TO quipu_see;

REVOKE ALL ON FUNCTION transcripts.make_reader(login text, secret text, plain_password text) FROM PUBLIC;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE transcripts.texts TO quipu_app;

REVOKE ALL ON FUNCTION transcripts.matching(asked tsquery, parts text[], sessions bigint[], roles text[], tools text[], errors boolean, since timestamp with time zone, until timestamp with time zone, filter jsonpath, sorted text, most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION transcripts.matching(asked tsquery, parts text[], sessions bigint[], roles text[], tools text[], errors boolean, since timestamp with time zone, until timestamp with time zone, filter jsonpath, sorted text, most integer) TO quipu_app;

REVOKE ALL ON FUNCTION transcripts.reader_space() FROM PUBLIC;
GRANT ALL ON FUNCTION transcripts.reader_space() TO quipu_see;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE transcripts.tool_calls TO quipu_app;
GRANT SELECT ON TABLE transcripts.tool_calls TO quipu_see;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE transcripts.tool_results TO quipu_app;
GRANT SELECT ON TABLE transcripts.tool_results TO quipu_see;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE core.aliases TO quipu_app;
GRANT SELECT,INSERT ON TABLE core.aliases TO quipu_person;

GRANT USAGE ON SEQUENCE core.at_commit_id_seq TO quipu_app;
GRANT USAGE ON SEQUENCE core.at_commit_id_seq TO quipu_person;

GRANT SELECT,INSERT ON TABLE core.carried_receipts TO quipu_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE core.corrections TO quipu_app;
GRANT SELECT,INSERT,DELETE ON TABLE core.corrections TO quipu_person;

GRANT USAGE ON SEQUENCE core.databases_number_seq TO quipu_app;
GRANT USAGE ON SEQUENCE core.databases_number_seq TO quipu_person;

GRANT SELECT,INSERT ON TABLE core.erasures TO quipu_app;

GRANT SELECT,INSERT ON TABLE core.exports TO quipu_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE core.imports TO quipu_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE core.kept_answers TO quipu_app;

GRANT SELECT ON TABLE core.language_budget TO quipu_app;

GRANT SELECT ON TABLE core.sessions_beside_person TO quipu_app;

GRANT SELECT ON TABLE core.messages_beside_person TO quipu_app;

GRANT SELECT ON TABLE core.migrations TO quipu_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE core.origins TO quipu_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE core.outbox TO quipu_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE core.outbox TO quipu_relay;
GRANT SELECT,INSERT,UPDATE ON TABLE core.outbox TO quipu_person;

GRANT USAGE ON SEQUENCE core.outbox_id_seq TO quipu_app;
GRANT USAGE ON SEQUENCE core.outbox_id_seq TO quipu_person;

GRANT USAGE ON SEQUENCE core.recall_alone TO quipu_app;
GRANT USAGE ON SEQUENCE core.recall_alone TO quipu_person;

GRANT SELECT ON TABLE core.recall_generations TO quipu_app;
GRANT SELECT ON TABLE core.recall_generations TO quipu_person;

GRANT USAGE ON SEQUENCE core.recall_generations_id_seq TO quipu_app;
GRANT USAGE ON SEQUENCE core.recall_generations_id_seq TO quipu_person;

GRANT SELECT ON TABLE core.recall_kinds TO quipu_app;
GRANT SELECT ON TABLE core.recall_kinds TO quipu_person;

GRANT USAGE ON SEQUENCE core.recall_names_id_seq TO quipu_app;
GRANT USAGE ON SEQUENCE core.recall_names_id_seq TO quipu_person;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE core.recall_postings TO quipu_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE core.recall_postings TO quipu_person;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE core.recall_terms TO quipu_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE core.recall_terms TO quipu_person;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE core.recall_threads TO quipu_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE core.recall_threads TO quipu_person;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE core.recall_vectors TO quipu_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE core.recall_vectors TO quipu_person;

GRANT SELECT ON TABLE core.receipts TO quipu_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE core.relations TO quipu_app;
GRANT SELECT,INSERT,UPDATE ON TABLE core.relations TO quipu_person;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE core.removed_messages TO quipu_app;
GRANT SELECT ON TABLE core.removed_messages TO quipu_person;

GRANT SELECT,INSERT,UPDATE ON TABLE core.schedules TO quipu_relay;

GRANT USAGE ON SEQUENCE core.sessions_id_seq TO quipu_app;
GRANT USAGE ON SEQUENCE core.sessions_id_seq TO quipu_person;

GRANT SELECT ON TABLE core.sessions_of_person TO quipu_person;

GRANT SELECT ON TABLE core.settings TO quipu_app;
GRANT SELECT ON TABLE core.settings TO quipu_person;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE core.space_settings TO quipu_app;
GRANT SELECT ON TABLE core.space_settings TO quipu_person;

GRANT USAGE ON SEQUENCE core.spaces_id_seq TO quipu_app;
GRANT USAGE ON SEQUENCE core.spaces_id_seq TO quipu_person;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE core.standing_rules TO quipu_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE core.standing_rules TO quipu_person;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE core.tool_calls TO quipu_app;
GRANT SELECT,INSERT,UPDATE ON TABLE core.tool_calls TO quipu_person;

GRANT USAGE ON SEQUENCE core.tool_calls_id_seq TO quipu_app;
GRANT USAGE ON SEQUENCE core.tool_calls_id_seq TO quipu_person;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE core.unindexed_messages TO quipu_app;
GRANT SELECT,INSERT ON TABLE core.unindexed_messages TO quipu_person;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE documents.passages TO quipu_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE documents.passages TO quipu_person;

GRANT SELECT ON TABLE documents.shown TO quipu_app;
GRANT SELECT ON TABLE documents.shown TO quipu_person;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE documents.vectors TO quipu_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE documents.vectors TO quipu_person;

GRANT USAGE ON SEQUENCE documents.vectors_id_seq TO quipu_app;
GRANT USAGE ON SEQUENCE documents.vectors_id_seq TO quipu_person;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE documents.versions TO quipu_app;
GRANT SELECT,INSERT,DELETE ON TABLE documents.versions TO quipu_person;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE episodes.accesses TO quipu_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE episodes.accesses TO quipu_person;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE episodes.beliefs TO quipu_app;
GRANT SELECT,INSERT,UPDATE ON TABLE episodes.beliefs TO quipu_person;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE episodes.conflicts TO quipu_app;
GRANT SELECT,INSERT,UPDATE ON TABLE episodes.conflicts TO quipu_person;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE episodes.conversation_details TO quipu_app;
GRANT SELECT,INSERT,UPDATE ON TABLE episodes.conversation_details TO quipu_person;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE episodes.threads TO quipu_app;
GRANT SELECT ON TABLE episodes.threads TO quipu_person;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE episodes.topics TO quipu_app;
GRANT SELECT ON TABLE episodes.topics TO quipu_person;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE episodes.conversations TO quipu_app;
GRANT SELECT,INSERT,UPDATE ON TABLE episodes.conversations TO quipu_person;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE episodes.episode_history TO quipu_app;
GRANT SELECT,INSERT,UPDATE ON TABLE episodes.episode_history TO quipu_person;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE episodes.stored_episodes TO quipu_app;
GRANT SELECT,INSERT,UPDATE ON TABLE episodes.stored_episodes TO quipu_person;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE episodes.episodes TO quipu_app;
GRANT SELECT,INSERT,UPDATE ON TABLE episodes.episodes TO quipu_person;

GRANT USAGE ON SEQUENCE episodes.exchanges_id_seq TO quipu_app;
GRANT USAGE ON SEQUENCE episodes.exchanges_id_seq TO quipu_person;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE episodes.loop_messages TO quipu_app;
GRANT SELECT ON TABLE episodes.loop_messages TO quipu_person;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE episodes.loops TO quipu_app;
GRANT SELECT,INSERT,UPDATE ON TABLE episodes.loops TO quipu_person;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE episodes.message_details TO quipu_app;
GRANT SELECT,INSERT,UPDATE ON TABLE episodes.message_details TO quipu_person;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE episodes.messages TO quipu_app;
GRANT SELECT ON TABLE episodes.messages TO quipu_person;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE episodes.progress TO quipu_app;
GRANT SELECT ON TABLE episodes.progress TO quipu_person;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE episodes.prompts TO quipu_app;

GRANT USAGE ON SEQUENCE episodes.threads_id_seq TO quipu_app;
GRANT USAGE ON SEQUENCE episodes.threads_id_seq TO quipu_person;

GRANT SELECT ON TABLE episodes.threads_of_person TO quipu_person;

GRANT USAGE ON SEQUENCE episodes.topics_id_seq TO quipu_app;
GRANT USAGE ON SEQUENCE episodes.topics_id_seq TO quipu_person;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE ledger.assumption_friction TO quipu_app;
GRANT SELECT ON TABLE ledger.assumption_friction TO quipu_person;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE ledger.chat_competitor_checks TO quipu_app;
GRANT SELECT,INSERT,UPDATE ON TABLE ledger.chat_competitor_checks TO quipu_person;

GRANT USAGE ON SEQUENCE ledger.chat_competitor_checks_id_seq TO quipu_app;
GRANT USAGE ON SEQUENCE ledger.chat_competitor_checks_id_seq TO quipu_person;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE ledger.chat_fallbacks TO quipu_app;
GRANT SELECT,INSERT,UPDATE ON TABLE ledger.chat_fallbacks TO quipu_person;

GRANT USAGE ON SEQUENCE ledger.chat_fallbacks_id_seq TO quipu_app;
GRANT USAGE ON SEQUENCE ledger.chat_fallbacks_id_seq TO quipu_person;

GRANT USAGE ON SEQUENCE ledger.chat_memory_events_id_seq TO quipu_app;
GRANT USAGE ON SEQUENCE ledger.chat_memory_events_id_seq TO quipu_person;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE ledger.chat_messages TO quipu_app;
GRANT SELECT ON TABLE ledger.chat_messages TO quipu_person;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE ledger.chat_recommendation_evidence TO quipu_app;
GRANT SELECT,INSERT,UPDATE ON TABLE ledger.chat_recommendation_evidence TO quipu_person;

GRANT USAGE ON SEQUENCE ledger.chat_recommendation_evidence_id_seq TO quipu_app;
GRANT USAGE ON SEQUENCE ledger.chat_recommendation_evidence_id_seq TO quipu_person;

GRANT SELECT,INSERT,DELETE ON TABLE ledger.chat_recommendations TO quipu_app;
GRANT SELECT,INSERT ON TABLE ledger.chat_recommendations TO quipu_person;

GRANT UPDATE(message_id) ON TABLE ledger.chat_recommendations TO quipu_app;

GRANT UPDATE(turn_index) ON TABLE ledger.chat_recommendations TO quipu_app;

GRANT UPDATE(location_label) ON TABLE ledger.chat_recommendations TO quipu_app;

GRANT UPDATE(action) ON TABLE ledger.chat_recommendations TO quipu_app;

GRANT UPDATE(time_window) ON TABLE ledger.chat_recommendations TO quipu_app;

GRANT UPDATE(confidence) ON TABLE ledger.chat_recommendations TO quipu_app;

GRANT UPDATE(source_name) ON TABLE ledger.chat_recommendations TO quipu_app;

GRANT UPDATE(source_freshness_seconds) ON TABLE ledger.chat_recommendations TO quipu_app;

GRANT UPDATE(rule_version) ON TABLE ledger.chat_recommendations TO quipu_app;

GRANT UPDATE(impact_score) ON TABLE ledger.chat_recommendations TO quipu_app;

GRANT UPDATE(explanation_json) ON TABLE ledger.chat_recommendations TO quipu_app;

GRANT UPDATE(meta) ON TABLE ledger.chat_recommendations TO quipu_app;

GRANT USAGE ON SEQUENCE ledger.chat_recommendations_id_seq TO quipu_app;
GRANT USAGE ON SEQUENCE ledger.chat_recommendations_id_seq TO quipu_person;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE ledger.chat_review_signal_runs TO quipu_app;
GRANT SELECT,INSERT,UPDATE ON TABLE ledger.chat_review_signal_runs TO quipu_person;

GRANT USAGE ON SEQUENCE ledger.chat_review_signal_runs_id_seq TO quipu_app;
GRANT USAGE ON SEQUENCE ledger.chat_review_signal_runs_id_seq TO quipu_person;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE ledger.chat_session_memory TO quipu_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE ledger.chat_session_memory TO quipu_person;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE ledger.session_details TO quipu_app;
GRANT SELECT,INSERT,UPDATE ON TABLE ledger.session_details TO quipu_person;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE ledger.chat_sessions TO quipu_app;
GRANT SELECT,INSERT,UPDATE ON TABLE ledger.chat_sessions TO quipu_person;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE ledger.chat_tool_calls TO quipu_app;
GRANT SELECT ON TABLE ledger.chat_tool_calls TO quipu_person;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE ledger.chat_user_preferences TO quipu_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE ledger.chat_user_preferences TO quipu_person;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE ledger.evidence_coverage TO quipu_app;
GRANT SELECT ON TABLE ledger.evidence_coverage TO quipu_person;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE ledger.evidence_recency TO quipu_app;
GRANT SELECT ON TABLE ledger.evidence_recency TO quipu_person;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE ledger.filing_marks TO quipu_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE ledger.first_insight TO quipu_app;
GRANT SELECT ON TABLE ledger.first_insight TO quipu_person;

GRANT SELECT,INSERT,UPDATE ON TABLE ledger.shapes TO quipu_app;
GRANT SELECT,INSERT,UPDATE ON TABLE ledger.shapes TO quipu_person;

GRANT USAGE ON SEQUENCE ledger.shapes_version_seq TO quipu_app;
GRANT USAGE ON SEQUENCE ledger.shapes_version_seq TO quipu_person;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE ledger.source_runs TO quipu_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE ledger.source_recency TO quipu_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE ledger.source_reliability TO quipu_app;

GRANT USAGE ON SEQUENCE ledger.source_runs_id_seq TO quipu_app;
GRANT USAGE ON SEQUENCE ledger.source_runs_id_seq TO quipu_person;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE longterm.audit TO quipu_app;
GRANT SELECT,INSERT,UPDATE ON TABLE longterm.audit TO quipu_person;

GRANT USAGE ON SEQUENCE longterm.audit_id_seq TO quipu_app;
GRANT USAGE ON SEQUENCE longterm.audit_id_seq TO quipu_person;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE longterm.audit_memories TO quipu_app;
GRANT SELECT,INSERT,UPDATE ON TABLE longterm.audit_memories TO quipu_person;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE longterm.evaluations TO quipu_app;
GRANT SELECT ON TABLE longterm.evaluations TO quipu_person;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE longterm.history TO quipu_app;
GRANT SELECT,INSERT,UPDATE ON TABLE longterm.history TO quipu_person;

GRANT USAGE ON SEQUENCE longterm.history_id_seq TO quipu_app;
GRANT USAGE ON SEQUENCE longterm.history_id_seq TO quipu_person;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE longterm.long_term_memory TO quipu_app;
GRANT SELECT,INSERT,UPDATE ON TABLE longterm.long_term_memory TO quipu_person;

GRANT USAGE ON SEQUENCE longterm.sources_id_seq TO quipu_app;
GRANT USAGE ON SEQUENCE longterm.sources_id_seq TO quipu_person;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE queue.saq_jobs TO quipu_relay;

GRANT USAGE ON SEQUENCE queue.saq_jobs_lock_key_seq TO quipu_relay;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE queue.saq_stats TO quipu_relay;

GRANT SELECT,INSERT,DELETE ON TABLE tables.dirty_rows TO quipu_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE tables.embeddings TO quipu_app;

GRANT SELECT,UPDATE ON TABLE tables.following TO quipu_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE tables.grants TO quipu_app;

GRANT SELECT,INSERT,DELETE ON TABLE tables.kept_vectors TO quipu_app;

GRANT SELECT ON TABLE tables.relations TO quipu_app;

GRANT SELECT ON TABLE tables.schemas TO quipu_app;

GRANT UPDATE(description) ON TABLE tables.schemas TO quipu_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE transcripts.files TO quipu_app;
GRANT SELECT ON TABLE transcripts.files TO quipu_see;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE transcripts.indexing TO quipu_app;

GRANT USAGE ON SEQUENCE transcripts.lines_id_seq TO quipu_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE transcripts.memories TO quipu_app;
GRANT SELECT ON TABLE transcripts.memories TO quipu_see;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE transcripts.memory_contradictions TO quipu_app;
GRANT SELECT ON TABLE transcripts.memory_contradictions TO quipu_see;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE transcripts.memory_edits TO quipu_app;
GRANT SELECT ON TABLE transcripts.memory_edits TO quipu_see;

GRANT USAGE ON SEQUENCE transcripts.memory_edits_id_seq TO quipu_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE transcripts.memory_sources TO quipu_app;
GRANT SELECT ON TABLE transcripts.memory_sources TO quipu_see;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE transcripts.responses TO quipu_app;
GRANT SELECT ON TABLE transcripts.responses TO quipu_see;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE transcripts.messages TO quipu_app;
GRANT SELECT ON TABLE transcripts.messages TO quipu_see;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE transcripts.prompts TO quipu_app;
GRANT SELECT ON TABLE transcripts.prompts TO quipu_see;

GRANT USAGE ON SEQUENCE transcripts.prompts_id_seq TO quipu_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE transcripts.session_details TO quipu_app;
GRANT SELECT ON TABLE transcripts.session_details TO quipu_see;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE transcripts.sessions TO quipu_app;
GRANT SELECT ON TABLE transcripts.sessions TO quipu_see;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE transcripts.summaries TO quipu_app;
GRANT SELECT ON TABLE transcripts.summaries TO quipu_see;

GRANT SELECT ON TABLE transcripts.sync_state TO quipu_app;
GRANT SELECT ON TABLE transcripts.sync_state TO quipu_see;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE transcripts.team_members TO quipu_app;
GRANT SELECT ON TABLE transcripts.team_members TO quipu_see;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE transcripts.team_tasks TO quipu_app;
GRANT SELECT ON TABLE transcripts.team_tasks TO quipu_see;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE transcripts.teams TO quipu_app;
GRANT SELECT ON TABLE transcripts.teams TO quipu_see;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE transcripts.unindexed TO quipu_app;

REVOKE ALL ON FUNCTION transcripts.settle_texts() FROM PUBLIC;
GRANT ALL ON FUNCTION transcripts.settle_texts() TO quipu_app;
