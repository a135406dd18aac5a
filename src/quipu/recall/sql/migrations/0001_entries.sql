-- The one index over all memory. An entry is what recall can bring back: a message, later a fact, an
-- episode, a row of an agent's table.
--
-- Entries that follow each other (the messages of a session) form a thread, and the id says so: it is
-- thread << 24 | position, so that the neighbours of an entry are id - 1 and id + 1 and its thread is
-- id >> 24. Entries that stand alone have negative ids.

set local role quipu_owner;

create table core.recall_kinds (
    code smallint primary key,
    name text not null unique check (name ~ '^[a-z][a-z_]*$')
);

create table core.recall_generations (
    id smallint generated always as identity primary key,
    model text not null,
    digest text not null unique,
    dimensions integer not null check (dimensions between 1 and 4000),
    state text not null check (state in ('building', 'serving', 'retired')),
    created_at timestamptz not null default now()
);
create unique index one_generation_serves on core.recall_generations (state) where state = 'serving';

-- People of a space: who spoke, and for whom memory is kept (the user).
create table core.recall_names (
    space_id integer not null references core.spaces (id) on delete cascade,
    id integer generated always as identity,
    name text not null check (char_length(name) between 1 and 512),
    primary key (space_id, id),
    unique (space_id, name)
);

create table core.recall_threads (
    space_id integer not null references core.spaces (id) on delete cascade,
    id bigint not null,
    next_position integer not null default 0,
    tokens bigint not null default 0,
    speakers integer[] not null default '{}',
    with_assistant boolean not null default false,
    primary key (space_id, id)
) with (fillfactor = 70);

create sequence core.recall_alone as bigint minvalue -4611686018427387904 maxvalue -1;

create table core.recall_entries (
    space_id integer not null references core.spaces (id) on delete cascade,
    id bigint not null,
    version bigint not null,
    happened_at timestamptz not null,
    recorded_at timestamptz not null,
    kind smallint not null references core.recall_kinds (code),
    by_user boolean not null,
    asks boolean not null,
    has_time boolean not null,
    speaker integer not null default 0,
    owner integer not null default 0,
    words integer not null check (words >= 0),
    tokens integer not null check (tokens >= 0),
    mixed_tokens real not null check (mixed_tokens >= 0),
    language text not null,
    from_previous real not null default 0 check (from_previous between 0 and 1),
    from_before real not null default 0 check (from_before between 0 and 1),
    from_next real not null default 0 check (from_next between 0 and 1),
    source_table text,
    source_id text,
    field text,
    chunk integer not null default 0,
    content text,
    bits bit varying,
    terms integer[] not null default '{}',
    primary key (space_id, id)
) with (fillfactor = 90, autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_vacuum_scale_factor = 0.05);
create index recall_entries_version on core.recall_entries (space_id, version);
create index recall_entries_source on core.recall_entries (space_id, source_table, source_id)
    where source_table is not null;
comment on column core.recall_entries.speaker is 'core.recall_names.id, or 0 where nobody is named.';
comment on column core.recall_entries.owner is 'The user whose memory this is: core.recall_names.id, or 0.';
comment on column core.recall_entries.from_previous is 'Share of the words and direction of entry id - 1 that this one inherits.';
comment on column core.recall_entries.from_before is 'The same of entry id - 2.';
comment on column core.recall_entries.from_next is 'The same of entry id + 1.';
comment on column core.recall_entries.language is 'What its words were stemmed by.';
comment on column core.recall_entries.words is 'All words of the text.';
comment on column core.recall_entries.tokens is 'Its terms, repetitions counted: the length that BM25 knows.';
comment on column core.recall_entries.mixed_tokens is 'Its own tokens plus the inherited shares.';
comment on column core.recall_entries.content is 'The text, where no other table of ours keeps it (messages keep their own).';
comment on column core.recall_entries.version is 'core.spaces.version of the write that last changed it.';
comment on column core.recall_entries.bits is 'Signs of the context vector of the serving generation, one bit a dimension.';
comment on column core.recall_entries.terms is 'What its postings are filed under, so that they can be taken out again.';

-- own: the direction of the text itself, kept only where neighbours are mixed in; context: what is searched.
create table core.recall_vectors (
    space_id integer not null references core.spaces (id) on delete cascade,
    generation smallint not null references core.recall_generations (id),
    entry_id bigint not null,
    own halfvec,
    context halfvec not null,
    primary key (space_id, generation, entry_id)
) with (autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_vacuum_scale_factor = 0.05);
alter table core.recall_vectors alter column own set storage plain, alter column context set storage plain;

-- One row for each distinct term of an entry's own text; what it inherits is worked out when asked.
-- A term is filed under a 32-bit hash. The primary key covers the row: the search never visits the table.
create table core.recall_postings (
    space_id integer not null references core.spaces (id) on delete cascade,
    term integer not null,
    entry_id bigint not null,
    occurrences smallint not null check (occurrences > 0),
    tokens smallint not null check (tokens > 0),
    primary key (space_id, term, entry_id) include (occurrences, tokens)
) with (autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_vacuum_insert_threshold = 5000,
        autovacuum_vacuum_scale_factor = 0.05);

-- In how many entries of the space a term occurs: what makes a word of a question rare or common.
create table core.recall_terms (
    space_id integer not null references core.spaces (id) on delete cascade,
    term integer not null,
    entries integer not null check (entries >= 0),
    primary key (space_id, term)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.1);

do $$
declare
    t text;
begin
    foreach t in array array['recall_terms', 'recall_names', 'recall_threads', 'recall_entries', 'recall_vectors', 'recall_postings'] loop
        execute format('alter table core.%I enable row level security', t);
        execute format('alter table core.%I force row level security', t);
        execute format('create policy own_space on core.%I using (space_id = (select core.current_space()))', t);
        execute format('grant select, insert, update, delete on core.%I to quipu_app', t);
    end loop;
end
$$;
grant select on core.recall_kinds, core.recall_generations to quipu_app;
grant usage on sequence core.recall_alone to quipu_app;
grant usage on all sequences in schema core to quipu_app;

reset role;
