-- The schema after all migrations. Written by tools/dump_schema.py; do not edit.

CREATE SCHEMA core;

CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public;

COMMENT ON EXTENSION pg_trgm IS 'text similarity measurement and index searching based on trigrams';

CREATE EXTENSION IF NOT EXISTS pgcrypto WITH SCHEMA public;

COMMENT ON EXTENSION pgcrypto IS 'cryptographic functions';

CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public;

COMMENT ON EXTENSION vector IS 'vector data type and ivfflat and hnsw access methods';

CREATE FUNCTION core.current_space() RETURNS integer
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (NULLIF(current_setting('quipu.space_id'::text, true), ''::text))::integer;

COMMENT ON FUNCTION core.current_space() IS 'The space of this transaction, or null: then row level security shows nothing.';

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
    unfiled integer DEFAULT 0 NOT NULL,
    CONSTRAINT spaces_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 512)))
)
WITH (fillfactor='50');

ALTER TABLE ONLY core.spaces FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN core.spaces.version IS 'Counts the writes; entries carry the version they were written in.';

COMMENT ON COLUMN core.spaces.epoch IS 'Counts the erasures; whoever holds a copy of the space drops it when this changes.';

COMMENT ON COLUMN core.spaces.generation IS 'core.recall_generations.id of the vectors that are searched here; null before the first entry.';

COMMENT ON COLUMN core.spaces.unfiled IS 'Kinds that wrote since they were last filed: the bit 1 << (code - 1) of core.recall_kinds.';

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
        delete from core.recall_entries where space_id = here and id = any(gone) returning speaker, owner
    )
    select array_agg(distinct person) into people
    from removed cross join lateral (values (speaker), (owner)) as p (person)
    where person > 0;

    -- After their entries: whoever makes vectors for an entry holds it meanwhile, and is through by now.
    delete from core.recall_vectors where space_id = here and entry_id = any(gone);

    with touched as materialized (
        select distinct g.id >> 24 as id from unnest(gone) as g (id) where g.id > 0
    ), left_over as materialized (
        select t.id, l.entries, l.tokens, l.speakers, l.with_assistant
        from touched t
        cross join lateral (
            select count(*) as entries, sum(tokens) as tokens, bool_or(not by_user) as with_assistant,
                   coalesce(array_agg(distinct speaker) filter (where speaker > 0), '{}') as speakers
            from core.recall_entries
            where space_id = here and id between t.id << 24 and (t.id << 24) + 16777215
            offset 0
        ) l
    ), kept as (
        update core.recall_threads t
        set tokens = l.tokens, speakers = l.speakers, with_assistant = l.with_assistant
        from left_over l
        where t.space_id = here and t.id = l.id and l.entries > 0
    )
    delete from core.recall_threads t
    using left_over l
    where t.space_id = here and t.id = l.id and l.entries = 0;

    delete from core.recall_names
    where space_id = here and id = any(people)
        and id not in (
            select speaker from core.recall_entries where space_id = here
            union all
            select owner from core.recall_entries where space_id = here
        );
end
$$;

COMMENT ON FUNCTION core.take_out(gone bigint[]) IS 'Takes entries of the space that was entered out of the index; what their neighbours inherited and the counters of the space stay as they were.';

CREATE TABLE core.erasures (
    space_id integer NOT NULL,
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    session_hash text,
    user_hash text,
    message_hash text,
    counts jsonb NOT NULL,
    erased_at timestamp with time zone NOT NULL
);

ALTER TABLE ONLY core.erasures FORCE ROW LEVEL SECURITY;

COMMENT ON TABLE core.erasures IS 'No reference to core.spaces: the proof outlives a space that was erased whole.';

COMMENT ON COLUMN core.erasures.user_hash IS 'SHA-256 of space and name: a restored snapshot is checked against it.';

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
    CONSTRAINT messages_external_id_check CHECK (((char_length(external_id) >= 1) AND (char_length(external_id) <= 512))),
    CONSTRAINT messages_redacted_check CHECK ((redacted >= 0)),
    CONSTRAINT messages_role_check CHECK ((role = ANY (ARRAY['user'::text, 'assistant'::text, 'system'::text, 'tool'::text])))
)
WITH (autovacuum_vacuum_insert_scale_factor='0.05');

ALTER TABLE ONLY core.messages FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN core.messages.id IS 'The id of its entry in core.recall_entries.';

COMMENT ON COLUMN core.messages.external_id IS 'The id that the caller gave, or one made for it.';

COMMENT ON COLUMN core.messages.redacted IS 'How many secrets were cut out before it was written.';

CREATE TABLE core.migrations (
    room text NOT NULL,
    version text NOT NULL,
    sha256 text NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE SEQUENCE core.recall_alone
    START WITH -4611686018427387904
    INCREMENT BY 1
    MINVALUE -4611686018427387904
    MAXVALUE -1
    CACHE 1;

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

CREATE TABLE core.recall_names (
    space_id integer NOT NULL,
    id integer NOT NULL,
    name text NOT NULL,
    CONSTRAINT recall_names_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 512)))
);

ALTER TABLE ONLY core.recall_names FORCE ROW LEVEL SECURITY;

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
    CONSTRAINT sessions_distinct_id_check CHECK (((char_length(distinct_id) >= 1) AND (char_length(distinct_id) <= 512))),
    CONSTRAINT sessions_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 512)))
)
WITH (fillfactor='70');

ALTER TABLE ONLY core.sessions FORCE ROW LEVEL SECURITY;

COMMENT ON COLUMN core.sessions.name IS 'The id that the caller gave.';

COMMENT ON COLUMN core.sessions.started_at IS 'When its oldest message was said; last_at the newest.';

COMMENT ON COLUMN core.sessions.uid IS 'The name where that is a uuid, else made from it: the same in every copy of the database.';

COMMENT ON COLUMN core.sessions.distinct_id IS 'Whose session it is, where a kind of memory was told; it is erased with the person.';

ALTER TABLE core.sessions ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME core.sessions_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

ALTER TABLE core.spaces ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME core.spaces_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

ALTER TABLE ONLY core.erasures
    ADD CONSTRAINT erasures_pkey PRIMARY KEY (space_id, id);

ALTER TABLE ONLY core.messages
    ADD CONSTRAINT messages_pkey PRIMARY KEY (space_id, id);

ALTER TABLE ONLY core.messages
    ADD CONSTRAINT messages_space_id_external_id_session_id_key UNIQUE NULLS NOT DISTINCT (space_id, external_id, session_id);

ALTER TABLE ONLY core.migrations
    ADD CONSTRAINT migrations_pkey PRIMARY KEY (room, version);

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

ALTER TABLE ONLY core.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (space_id, id);

ALTER TABLE ONLY core.sessions
    ADD CONSTRAINT sessions_space_id_name_key UNIQUE (space_id, name);

ALTER TABLE ONLY core.sessions
    ADD CONSTRAINT sessions_uid_space_id_key UNIQUE (uid, space_id);

ALTER TABLE ONLY core.spaces
    ADD CONSTRAINT spaces_name_key UNIQUE (name);

ALTER TABLE ONLY core.spaces
    ADD CONSTRAINT spaces_pkey PRIMARY KEY (id);

CREATE INDEX messages_user ON core.messages USING btree (space_id, user_name) WHERE (user_name IS NOT NULL);

CREATE UNIQUE INDEX one_generation_serves ON core.recall_generations USING btree (state) WHERE (state = 'serving'::text);

CREATE INDEX recall_entries_source ON core.recall_entries USING btree (space_id, source_table, source_id) WHERE (source_table IS NOT NULL);

CREATE INDEX recall_entries_version ON core.recall_entries USING btree (space_id, version) WHERE (bits IS NOT NULL);

ALTER TABLE ONLY core.messages
    ADD CONSTRAINT messages_space_id_fkey FOREIGN KEY (space_id) REFERENCES core.spaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY core.messages
    ADD CONSTRAINT messages_space_id_session_id_fkey FOREIGN KEY (space_id, session_id) REFERENCES core.sessions(space_id, id);

ALTER TABLE ONLY core.recall_entries
    ADD CONSTRAINT recall_entries_kind_fkey FOREIGN KEY (kind) REFERENCES core.recall_kinds(code);

ALTER TABLE ONLY core.recall_entries
    ADD CONSTRAINT recall_entries_space_id_fkey FOREIGN KEY (space_id) REFERENCES core.spaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY core.recall_names
    ADD CONSTRAINT recall_names_space_id_fkey FOREIGN KEY (space_id) REFERENCES core.spaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY core.recall_threads
    ADD CONSTRAINT recall_threads_space_id_fkey FOREIGN KEY (space_id) REFERENCES core.spaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY core.sessions
    ADD CONSTRAINT sessions_space_id_fkey FOREIGN KEY (space_id) REFERENCES core.spaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY core.spaces
    ADD CONSTRAINT spaces_generation_fkey FOREIGN KEY (generation) REFERENCES core.recall_generations(id);

ALTER TABLE core.erasures ENABLE ROW LEVEL SECURITY;

ALTER TABLE core.messages ENABLE ROW LEVEL SECURITY;

CREATE POLICY own_space ON core.erasures USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON core.messages USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON core.recall_entries USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON core.recall_names USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON core.recall_postings USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON core.recall_terms USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON core.recall_threads USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON core.recall_vectors USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON core.sessions USING ((space_id = ( SELECT core.current_space() AS current_space)));

CREATE POLICY own_space ON core.spaces USING ((name = ( SELECT current_setting('quipu.space'::text, true) AS current_setting)));

ALTER TABLE core.recall_entries ENABLE ROW LEVEL SECURITY;

ALTER TABLE core.recall_names ENABLE ROW LEVEL SECURITY;

ALTER TABLE core.recall_postings ENABLE ROW LEVEL SECURITY;

ALTER TABLE core.recall_terms ENABLE ROW LEVEL SECURITY;

ALTER TABLE core.recall_threads ENABLE ROW LEVEL SECURITY;

ALTER TABLE core.recall_vectors ENABLE ROW LEVEL SECURITY;

ALTER TABLE core.sessions ENABLE ROW LEVEL SECURITY;

ALTER TABLE core.spaces ENABLE ROW LEVEL SECURITY;

CREATE POLICY upkeep ON core.spaces FOR SELECT TO quipu_owner USING (true);

GRANT USAGE ON SCHEMA core TO quipu_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE core.spaces TO quipu_app;

GRANT SELECT,INSERT ON TABLE core.erasures TO quipu_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE core.messages TO quipu_app;

GRANT SELECT ON TABLE core.migrations TO quipu_app;

GRANT USAGE ON SEQUENCE core.recall_alone TO quipu_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE core.recall_entries TO quipu_app;

GRANT SELECT ON TABLE core.recall_generations TO quipu_app;

GRANT USAGE ON SEQUENCE core.recall_generations_id_seq TO quipu_app;

GRANT SELECT ON TABLE core.recall_kinds TO quipu_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE core.recall_names TO quipu_app;

GRANT USAGE ON SEQUENCE core.recall_names_id_seq TO quipu_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE core.recall_postings TO quipu_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE core.recall_terms TO quipu_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE core.recall_threads TO quipu_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE core.recall_vectors TO quipu_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE core.sessions TO quipu_app;

GRANT USAGE ON SEQUENCE core.spaces_id_seq TO quipu_app;
