set local role quipu_owner;

-- The one index over all memory. An entry is what recall can bring back: a message, later a fact, an
-- episode, a row of an agent's table.
--
-- Entries that follow each other (the messages of a session) form a thread, and the id says so: it is
-- thread << 24 | position, so that the neighbours of an entry are id - 1 and id + 1 and its thread is
-- id >> 24. Entries that stand alone have negative ids.
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
comment on column core.recall_generations.state is
    'building: its vectors are being made; serving: new spaces begin with it; retired: spaces leave it.';

create unique index one_generation_serves on core.recall_generations (state) where state = 'serving';

alter table core.spaces add foreign key (generation) references core.recall_generations (id);

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
comment on column core.recall_entries.bits is 'Signs of the context vector of the generation of the space, one bit a dimension.';
comment on column core.recall_entries.terms is 'What its postings are filed under, so that they can be taken out again.';

create index recall_entries_source on core.recall_entries (space_id, source_table, source_id)
    where source_table is not null;
-- What a person stated, latest last: what a new statement may replace is looked for there.
create index recall_entries_stated on core.recall_entries (space_id, speaker, owner, id)
    where kind = 1 and by_user and not asks;
create index recall_entries_version on core.recall_entries (space_id, version) where bits is not null;

-- Rows of the next three tables are many and ours alone: row level security admits only those of the space that the
-- transaction has entered, which nobody removes meanwhile. A look at core.spaces for each of them cost a fifth of
-- every import, and locked that one row for every writer: so they refer to nothing.

-- own: the direction of the text itself, kept only where neighbours are mixed in; context: what is searched.
create table core.recall_vectors (
    space_id integer not null,
    generation smallint not null,
    entry_id bigint not null,
    own halfvec,
    context halfvec not null,
    primary key (space_id, generation, entry_id)
) with (autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_vacuum_scale_factor = 0.05);

alter table core.recall_vectors alter column own set storage plain, alter column context set storage plain;

-- One row for each distinct term of an entry's own text; what it inherits is worked out when asked.
-- A term is filed under a 32-bit hash. The primary key covers the row: the search never visits the table.
create table core.recall_postings (
    space_id integer not null,
    term integer not null,
    entry_id bigint not null,
    occurrences smallint not null check (occurrences > 0),
    tokens smallint not null check (tokens > 0),
    primary key (space_id, term, entry_id) include (occurrences, tokens)
) with (autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_vacuum_insert_threshold = 5000,
        autovacuum_vacuum_scale_factor = 0.05);

-- In how many entries of the space a term occurs: what makes a word of a question rare or common.
create table core.recall_terms (
    space_id integer not null,
    term integer not null,
    entries integer not null check (entries >= 0),
    primary key (space_id, term)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.1);

call core.keep_in_space('core', array['recall_terms', 'recall_names', 'recall_threads', 'recall_entries',
    'recall_vectors', 'recall_postings']);

grant select on core.recall_kinds, core.recall_generations to quipu_app;
grant usage on sequence core.recall_alone to quipu_app;
grant usage on all sequences in schema core to quipu_app;

-- Taking entries out of the index, in one place for all who do: an erasure, a kind whose value no longer
-- stands, and a view through which a whole session is deleted. A thread stays while a message of it is there, for its
-- places are not given again.
create function core.take_out(gone bigint[]) returns void
    language plpgsql volatile
    as $$
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
comment on function core.take_out(bigint[]) is
    'Takes entries of the space that was entered out of the index; what their neighbours inherited and the counters of the space stay as they were.';

create function core.recount_space() returns void
    language sql volatile
    as $$
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
comment on function core.recount_space() is
    'The counters of what is left after an erasure; every process drops its copy of the space.';

-- Rows that SQL writes past every door are found as well: triggers of a kind's table note what the index does not know,
-- and who looks for it files that first (recall/unindexed.py).
create function core.leave_unindexed(kind integer, space integer default core.current_space()) returns void
    language plpgsql volatile set search_path = pg_catalog, pg_temp
    as $$
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
comment on function core.leave_unindexed(integer, integer) is
    'Notes that a space holds what the index does not know, of the kind with that code in core.recall_kinds.';

create function core.is_left_alone(kind integer) returns boolean
    language sql volatile
    return pg_try_advisory_xact_lock(731200 + kind, core.current_space());
comment on function core.is_left_alone(integer) is
    'Whether no open transaction has left something of this kind unindexed, and none does until this one ends.';

create function core.withdraw(gone bigint[]) returns void
    language plpgsql volatile set search_path = pg_catalog, pg_temp
    as $$
begin
    perform core.write_by_hand(core.current_space());
    insert into core.at_commit (space_id, gone)
    select core.current_space(), w.gone
    from (select array_remove(withdraw.gone, null) as gone) w
    where w.gone <> '{}';
end
$$;
comment on function core.withdraw(bigint[]) is
    'Takes entries that stand alone out of the index, with their share of the counters of the space that was entered, when the transaction commits.';

-- Before a row that names its entry is inserted, or says something else: it has none until it is filed. What the index
-- has of a row is taken out in the space that was entered: an administrator, whom row level security does not bind,
-- could change a row of another and leave its entry behind. A row of another space is refused here, by its own table:
-- the name of a policy of core.at_commit says nothing to who wrote the row.
create function core.unindex_row() returns trigger
    language plpgsql volatile set search_path = pg_catalog, pg_temp
    as $$
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
comment on function core.unindex_row() is
    'For a table with entry_id: takes out what the index has of a row, and leaves the row to be filed; its argument is the code of the kind.';

-- After rows that name their entries were deleted, whoever did it. A space that goes takes its rows and entries along,
-- whoever is there. One statement may take rows out and insert them again: those are left to be filed.
create function core.unindex_deleted() returns trigger
    language plpgsql volatile set search_path = pg_catalog, pg_temp
    as $$
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
$$;
comment on function core.unindex_deleted() is
    'For a table with entry_id, after a statement (old table as gone): takes out what the index has of its rows.';

-- Who writes by SQL may leave the transaction open for hours, and everybody who writes to the space updates its row. So
-- that row, and the index, are changed by SQL when it commits: until then nobody waits for it.
create table core.at_commit (
    space_id integer not null,
    id bigint generated always as identity,
    space text not null default current_setting('quipu.space', true),
    kind integer,
    gone bigint[],
    primary key (space_id, id)
);
comment on table core.at_commit is 'What open transactions of SQL leave to their end, when it is done and its row goes: nobody sees one of another.';
comment on column core.at_commit.kind is 'Of this kind there is something that the index does not know: the code in core.recall_kinds.';
comment on column core.at_commit.gone is 'These entries are to be taken out of the index.';

call core.keep_in_space('core', array['at_commit'], rights => 'select, insert, delete');

create function core.do_at_commit() returns trigger
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set row_security = on
    as $$
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

create constraint trigger do_at_commit after insert on core.at_commit deferrable initially deferred
    for each row execute function core.do_at_commit();

-- The index gives a row its entry, not SQL: rows that SQL copied back with the entries that they had, or took them from,
-- were never found again.
create function core.is_withdrawn(entry bigint) returns boolean
    language sql stable security definer set search_path = ''
    return exists (
        select from core.at_commit c where c.space_id = core.current_space() and is_withdrawn.entry = any(c.gone));
comment on function core.is_withdrawn(bigint) is 'Whether SQL has left an entry to be taken out when this transaction commits.';

create function core.be_given_entry() returns trigger
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
    as $$
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
comment on function core.be_given_entry() is
    'For a table with entry_id: an entry that is not of its row is passed over, and one that is stays until it is taken out; its argument is the code of the kind. Fires before the triggers that follow a change.';

-- A table whose rows name their entries (entry_id). ``live`` says of a row that it is to be found, ``said`` names the columns
-- that make what is found of it.
create procedure core.keep_filed(place text, name text, kind integer, live text, said text[])
    language plpgsql
    as $$
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
$$;

reset role;
