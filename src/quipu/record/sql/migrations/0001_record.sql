-- What was really said: sessions and messages, append-only until retention or erasure. A message has
-- the id of its entry in the recall index, so that each leads to the other without a search.
insert into core.recall_kinds (code, name) values (1, 'message');

set local role quipu_owner;

create table core.sessions (
    space_id integer not null references core.spaces (id) on delete cascade,
    id bigint generated always as identity,
    name text not null check (char_length(name) between 1 and 512),
    messages bigint not null default 0,
    started_at timestamptz,
    last_at timestamptz,
    created_at timestamptz not null default now(),
    uid uuid not null generated always as (
        case when name ~ '^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$' then name::uuid
             else md5(space_id || '/' || name)::uuid end
    ) stored,
    distinct_id text check (char_length(distinct_id) between 1 and 512),
    belongs_to text default core.current_person() check (char_length(belongs_to) <= 512),
    verbatim boolean not null default false,
    primary key (space_id, id),
    unique (space_id, name),
    -- By uid first: of several keys that begin with the space, a planner that takes the table for small may choose any,
    -- whatever is asked, and read all sessions of the space by it. This one is of use only to who knows the uid.
    unique (uid, space_id)
) with (fillfactor = 70);
comment on column core.sessions.name is 'The id that the caller gave.';
comment on column core.sessions.started_at is 'When its oldest message was said; last_at the newest.';
comment on column core.sessions.uid is 'The name where that is a uuid, else made from it: the same in every copy of the database.';
comment on column core.sessions.distinct_id is 'Whose session it is, where a kind of memory was told; it is erased with the person.';
comment on column core.sessions.belongs_to is
    'The one user whose session it is; empty: several, or one who was forgotten; null: nobody was named yet.';
comment on column core.sessions.verbatim is 'Items of its messages are kept as they came, with secrets in them.';

create table core.messages (
    space_id integer not null references core.spaces (id) on delete cascade,
    id bigint not null,
    session_id bigint,
    external_id text not null check (char_length(external_id) between 1 and 512),
    role text not null check (char_length(role) between 1 and 64),
    speaker text,
    user_name text,
    happened_at timestamptz not null,
    recorded_at timestamptz not null,
    redacted integer not null default 0 check (redacted >= 0),
    content text not null,
    item text check (json_typeof(item::json) = 'object'),
    metadata jsonb not null default '{}' check (jsonb_typeof(metadata) = 'object'),
    agent_id text generated always as (left(metadata ->> 'agent_id', 512)) stored,
    app_id text generated always as (left(metadata ->> 'app_id', 512)) stored,
    run_id text generated always as (left(metadata ->> 'run_id', 512)) stored,
    primary key (space_id, id),
    -- The space last, as in core.sessions: else a planner that takes the table for small may look for an id by this one.
    unique nulls not distinct (external_id, session_id, space_id),
    foreign key (space_id, session_id) references core.sessions (space_id, id)
) with (autovacuum_vacuum_insert_scale_factor = 0.05);
comment on column core.messages.id is 'The id of its entry in core.recall_entries.';
comment on column core.messages.external_id is 'The id that the caller gave, or one made for it.';
comment on column core.messages.role is 'user, assistant, system, tool, or a word of the caller''s, which is none of these.';
comment on column core.messages.redacted is 'How many secrets were cut out before it was written.';
comment on column core.messages.content is 'The text that is indexed and read; empty where the message has only an item.';
comment on column core.messages.item is
    'The message as it came, as JSON, letter by letter: jsonb keeps no order, no 1e23, and no half a character.';
comment on column core.messages.agent_id is
    'Of the metadata, as app_id and run_id: under row level security no index on an expression of jsonb is used.';

create index messages_user on core.messages (space_id, user_name) where user_name is not null;

create index messages_agent on core.messages (space_id, agent_id) where agent_id is not null;

create index messages_app on core.messages (space_id, app_id) where app_id is not null;

create index messages_run on core.messages (space_id, run_id) where run_id is not null;

-- Messages that were taken back, until retention or erasure. No read knows of them; each keeps its place in its session.
create table core.removed_messages (
    space_id integer not null default core.current_space() references core.spaces (id) on delete cascade,
    id bigint not null,
    session_id bigint,
    external_id text not null,
    role text not null,
    speaker text,
    user_name text,
    happened_at timestamptz not null,
    recorded_at timestamptz not null,
    redacted integer not null,
    content text not null,
    item text,
    metadata jsonb not null,
    removed_at timestamptz not null,
    primary key (space_id, id),
    foreign key (space_id, session_id) references core.sessions (space_id, id)
);

create index removed_messages_session on core.removed_messages (space_id, session_id, removed_at);

create index removed_messages_time on core.removed_messages (space_id, removed_at);

-- Messages are written before they are embedded: those that the index does not know yet. Each refers to its message,
-- and that to its space, with which it goes too: to look at the space a second time cost a third of writing it down.
create table core.unindexed_messages (
    space_id integer not null default core.current_space(),
    message_id bigint not null,
    happened_at timestamptz not null,
    primary key (space_id, message_id),
    foreign key (space_id, message_id) references core.messages (space_id, id) on delete cascade
);

-- A statement that replaces an earlier one. A message that is forgotten takes its links with it; one that was taken back
-- stays as a row, so that no rule makes it again.
create table core.relations (
    space_id integer not null default core.current_space(),
    newer bigint not null,
    older bigint not null check (older <> newer),
    relation text not null default 'supersedes' check (relation in ('supersedes')),
    reason text check (char_length(reason) between 1 and 2000),
    made_by text not null check (made_by in ('rule', 'person', 'source')),
    strength real not null default 1 check (strength between 0 and 1),
    created_at timestamptz not null default now(),
    removed_at timestamptz,
    removed_by text check (removed_by in ('rule', 'person')),
    primary key (space_id, newer, older),
    foreign key (space_id, newer) references core.messages (space_id, id) on delete cascade,
    foreign key (space_id, older) references core.messages (space_id, id) on delete cascade,
    check ((removed_at is null) = (removed_by is null))
);
comment on column core.relations.reason is 'A few words, such as "moved"; of what was said it repeats nothing else.';
comment on column core.relations.strength is 'How certain it is, 0 to 1; what a person says is certain.';

create index relations_older on core.relations (older, space_id);

-- What an assistant was told to do from now on. A message that is forgotten takes its rule with it; one that ended a rule
-- leaves it ended.
create table core.standing_rules (
    space_id integer not null default core.current_space() references core.spaces (id) on delete cascade,
    id uuid not null,
    user_name text check (char_length(user_name) between 1 and 512),
    message_id bigint,
    text text not null check (char_length(text) between 1 and 20000),
    scope text not null default '' check (char_length(scope) <= 20000),
    made_by text not null check (made_by in ('rule', 'person')),
    since timestamptz not null,
    created_at timestamptz not null default now(),
    ended_at timestamptz,
    ended_by text check (ended_by in ('rule', 'person')),
    ended_in bigint,
    primary key (space_id, id),
    foreign key (space_id, message_id) references core.messages (space_id, id) on delete cascade,
    foreign key (space_id, ended_in) references core.messages (space_id, id) on delete set null (ended_in),
    check ((ended_at is null) = (ended_by is null)),
    check (ended_in is null or ended_at is not null)
);
comment on column core.standing_rules.user_name is 'Whose rule it is; null for that of the whole space.';
comment on column core.standing_rules.scope is 'Words of the requests for which it holds; empty where it holds for all.';
comment on column core.standing_rules.since is 'When it was said.';
comment on column core.standing_rules.ended_in is 'The message that ended it, if one did and is still there.';

create index standing_rules_in_force on core.standing_rules (space_id, user_name, since) where ended_at is null;

create index standing_rules_message on core.standing_rules (message_id, space_id) where message_id is not null;

create index standing_rules_ended_in on core.standing_rules (ended_in, space_id) where ended_in is not null;

-- Another name of somebody, said by a person or learnt from a message, which takes it along when it is forgotten.
create table core.aliases (
    space_id integer not null default core.current_space() references core.spaces (id) on delete cascade,
    alias text not null check (char_length(alias) between 1 and 200),
    name text not null check (char_length(name) between 1 and 200),
    made_by text not null check (made_by in ('rule', 'person')),
    message_id bigint,
    created_at timestamptz not null default now(),
    primary key (space_id, alias, name),
    foreign key (space_id, message_id) references core.messages (space_id, id) on delete cascade,
    check ((made_by = 'rule') = (message_id is not null))
);

create index aliases_message on core.aliases (space_id, message_id) where message_id is not null;

-- A statement that was derived from a message, and that somebody said is wrong: no reader makes it of that message again.
create table core.corrections (
    space_id integer not null default core.current_space(),
    kind text not null check (kind in ('longterm', 'belief', 'loop', 'lesson', 'rule')),
    memory_id uuid not null,
    message_id bigint not null,
    marked uuid not null,
    text text not null check (char_length(text) between 1 and 20000),
    rule text not null check (char_length(rule) between 1 and 512),
    reader text not null default '' check (char_length(reader) <= 512),
    reason text check (char_length(reason) between 1 and 2000),
    was_live boolean not null default true,
    corrected_by text default core.current_person() check (char_length(corrected_by) <= 512),
    corrected_at timestamptz not null default now(),
    primary key (space_id, kind, memory_id, message_id),
    foreign key (space_id, message_id) references core.messages (space_id, id) on delete cascade
);
comment on column core.corrections.memory_id is 'The statement, a row of the table of its kind; it may be gone.';
comment on column core.corrections.marked is 'The statement that was marked; what claims the same went with it.';
comment on column core.corrections.text is 'The statement as it read.';
comment on column core.corrections.rule is 'The rule that made it: a family, the key of a belief, the kind of a loop, the category of a lesson.';
comment on column core.corrections.reader is 'The evaluator or extractor with its version; empty where it is not known.';
comment on column core.corrections.was_live is 'The correction took it out of recall: it comes back where that is taken back.';
comment on column core.corrections.corrected_by is 'Whose key it was; null: that of everybody.';

create index corrections_message on core.corrections (space_id, message_id);

create index corrections_latest on core.corrections (space_id, corrected_at);

create function core.drop_empty_sessions(gone bigint[]) returns void
    language plpgsql volatile
    as $$
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
comment on function core.drop_empty_sessions(bigint[]) is
    'Deletes sessions of the space that was entered, where nothing was said and no other kind of memory refers to them.';

-- What an agent did besides speaking: the tools that it called, in which turn, and what came of it.
create table core.tool_calls (
    space_id integer not null default core.current_space() references core.spaces (id) on delete cascade,
    id bigint generated by default as identity,
    session_id bigint not null,
    message_id bigint,
    turn_index integer not null check (turn_index >= 0),
    tool_name text not null check (char_length(tool_name) between 1 and 512),
    source_name text,
    args_json jsonb not null default '{}'::jsonb,
    result_json jsonb,
    status text not null check (status in ('ok', 'error', 'timeout', 'stale')),
    latency_ms integer not null check (latency_ms >= 0),
    cache_hit boolean not null default false,
    source_freshness_seconds integer check (source_freshness_seconds >= 0),
    error_code text,
    created_at timestamptz not null default now(),
    primary key (space_id, id),
    foreign key (space_id, session_id) references core.sessions (space_id, id),
    foreign key (space_id, message_id) references core.messages (space_id, id) on delete cascade
);
comment on table core.tool_calls is 'A call goes with the message that made it: what was forgotten must not live on in its arguments.';
comment on column core.tool_calls.source_name is 'Which outside source it asked, where a kind of memory tells them apart.';

create index tool_calls_session on core.tool_calls (space_id, session_id, turn_index);

create index tool_calls_source on core.tool_calls (space_id, source_name, created_at);

create index tool_calls_message on core.tool_calls (space_id, message_id) where message_id is not null;

call core.keep_in_space('core', array['sessions', 'messages', 'removed_messages', 'unindexed_messages', 'relations', 'standing_rules', 'aliases',
    'corrections', 'tool_calls']);

grant usage on all sequences in schema core to quipu_app;

-- A session that goes, whoever deletes it, takes the jobs that were put for it: they name it, and have nothing
-- left to be done with.
create function core.jobs_go_with_their_session() returns trigger
    language plpgsql
    as $$
begin
    delete from core.outbox o using gone where o.space_id = gone.space_id and o.session = gone.name;
    return null;
end
$$;

create trigger jobs_go after delete on core.sessions
    referencing old table as gone
    for each statement execute function core.jobs_go_with_their_session();

-- What of the record, of the index and of the outbox belongs to one person: messages that are theirs, and all of a
-- session in which nobody else is. The policies are for the role quipu_person alone.
create index sessions_person on core.sessions (space_id, belongs_to) where belongs_to <> '';

create function core.joined_person(before text, another text) returns text
    language sql immutable parallel safe
    return case when another is null then before when before is null or before = another then another else '' end;
comment on function core.joined_person(text, text) is 'Whose a session is, of which one person was known, and then another.';

create function core.note_owner_of_session() returns trigger
    language plpgsql
    as $$
begin
    new.belongs_to := core.joined_person(new.belongs_to, new.distinct_id);
    return new;
end
$$;

create trigger whose_on_insert before insert on core.sessions
    for each row when (new.distinct_id is not null) execute function core.note_owner_of_session();

create function core.note_users_of_sessions() returns trigger
    language plpgsql
    as $$
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

create trigger whose after insert on core.messages
    referencing new table as added for each statement execute function core.note_users_of_sessions();

create policy person on core.sessions as restrictive to quipu_person
    using (belongs_to = (select core.current_person()));

grant select, insert, update on core.sessions to quipu_person;

create policy person on core.messages as restrictive to quipu_person
    using (user_name = (select core.current_person())
        or user_name is null and session_id in (
            select s.id from core.sessions s where s.space_id = (select core.current_space())))
    with check (user_name = (select core.current_person())
        and (session_id is null or session_id in (
            select s.id from core.sessions s where s.space_id = (select core.current_space()))));

grant select, insert, update on core.messages to quipu_person;

create policy person on core.removed_messages as restrictive to quipu_person
    using (user_name = (select core.current_person())
        or user_name is null and session_id in (
            select s.id from core.sessions s where s.space_id = (select core.current_space())));

grant select on core.removed_messages to quipu_person;

-- What hangs from a session, or from another row, belongs to whom that belongs.
create procedure core.show_with_session(place text, tables text[], key text default 'id')
    language plpgsql
    as $$
declare
    t text;
begin
    foreach t in array tables loop
        execute format('create policy person on %I.%I as restrictive to quipu_person using (session_id in ('
            'select s.%I from core.sessions s where s.space_id = (select core.current_space())))', place, t, key);
    end loop;
end
$$;

create procedure core.show_with_row(place text, tables text[], key text, of regclass)
    language plpgsql
    as $$
declare
    t text;
begin
    foreach t in array tables loop
        execute format('create policy person on %1$I.%2$I as restrictive to quipu_person using (exists ('
            'select from %4$s o where o.space_id = %2$I.space_id and o.id = %2$I.%3$I))', place, t, key, of);
    end loop;
end
$$;

call core.show_with_session('core', array['tool_calls']);

grant select, insert, update on core.tool_calls to quipu_person;

-- Whoever may write a message may leave it to be indexed later.
call core.show_with_row('core', array['unindexed_messages'], 'message_id', of => 'core.messages');

grant select, insert on core.unindexed_messages to quipu_person;

-- A link says something of both messages.
create policy person on core.relations as restrictive to quipu_person
    using (exists (select from core.messages m
            where m.space_id = relations.space_id and m.id = relations.newer offset 0)
        and exists (select from core.messages m
            where m.space_id = relations.space_id and m.id = relations.older offset 0));

grant select, insert, update on core.relations to quipu_person;

-- A rule is theirs as its message is. One that was added for the whole space is read by everybody in it.
create policy person on core.standing_rules as restrictive to quipu_person
    using (user_name = (select core.current_person())
        or user_name is null and (message_id is null or exists (select from core.messages m
            where m.space_id = standing_rules.space_id and m.id = standing_rules.message_id offset 0)))
    with check (user_name = (select core.current_person()));

grant select, insert, update, delete on core.standing_rules to quipu_person;

-- What a message tells belongs to whom it belongs; what is said by hand concerns everybody in the space.
create policy person on core.aliases as restrictive to quipu_person
    using (exists (select from core.messages m
        where m.space_id = aliases.space_id and m.id = aliases.message_id offset 0));

grant select, insert on core.aliases to quipu_person;

-- What is wrong of a message is theirs as the message is.
create policy person on core.corrections as restrictive to quipu_person
    using (exists (select from core.messages m
        where m.space_id = corrections.space_id and m.id = corrections.message_id offset 0));

grant select, insert, delete on core.corrections to quipu_person;

-- A job names the session or the person whom it is about; of others one waits, and is put again, unseen.
create policy person on core.outbox as restrictive to quipu_person
    using (user_name = (select core.current_person())
        or user_name is null and session in (
            select s.name from core.sessions s where s.space_id = (select core.current_space())));

grant select, insert, update on core.outbox to quipu_person;

-- Of what waits for the end of a transaction, a person sees and takes out of the index what is theirs.
create policy person on core.at_commit as restrictive to quipu_person
    using (gone is null or cardinality(gone) = (
        select count(*) from core.recall_entries e
        where e.space_id = (select core.current_space()) and e.id = any(gone)));

grant select, insert on core.at_commit to quipu_person;

-- What is derived rests on messages. It runs as the owner, who sees them all: of what is shown to no one it says this.
create function core.are_of_person(numbers bigint[]) returns boolean
    language sql stable security definer set search_path = ''
    return not exists (
        select from core.messages m
        left join core.sessions s on s.space_id = m.space_id and s.id = m.session_id
        where m.space_id = core.current_space() and m.id = any(numbers)
            and coalesce(m.user_name, s.belongs_to) is distinct from core.current_person());
comment on function core.are_of_person(bigint[]) is
    'Whether these messages, those that are still there, belong to the person of this transaction alone.';

-- The index. An entry is theirs as its message or its row is; postings and vectors go with their entry, which is
-- written after them. How many entries have a word (recall_terms) is counted for the space as a whole, and a name
-- has one number (recall_names) whoever writes it: both are needed to write, and neither says who wrote what.
create function core.number_of_person() returns integer
    language sql stable
    return (select n.id from core.recall_names n
        where n.space_id = (select core.current_space()) and n.name = (select core.current_person()));
comment on function core.number_of_person() is 'The number of the person of this transaction in core.recall_names.';

create policy person on core.recall_entries as restrictive to quipu_person
    using (owner = (select core.number_of_person())
        or owner = 0 and id > 0 and id >> 24 in (
            select s.id from core.sessions s where s.space_id = (select core.current_space())));

-- As a plain EXISTS could be turned into a hash of all that may be seen, each scan of postings or vectors would read
-- every entry of the space first. With OFFSET 0 the entry of each row is looked up by its key, and these rows are few.
create index recall_entries_owner on core.recall_entries (space_id, owner) where owner > 0;

create policy person on core.recall_postings as restrictive for select to quipu_person
    using (exists (select from core.recall_entries e
        where e.space_id = recall_postings.space_id and e.id = recall_postings.entry_id offset 0));

create function core.is_filed(entry bigint) returns boolean
    language sql stable security definer set search_path = ''
    return exists (select from core.recall_entries e where e.space_id = core.current_space() and e.id = entry);
comment on function core.is_filed(bigint) is 'Whether the space has such an entry, whoever asks: a vector goes after its entry.';

create policy person on core.recall_vectors as restrictive for select to quipu_person
    using (exists (select from core.recall_entries e
            where e.space_id = recall_vectors.space_id and e.id = recall_vectors.entry_id offset 0)
        or not core.is_filed(entry_id));

create policy person on core.recall_threads as restrictive to quipu_person
    using (id in (select s.id from core.sessions s where s.space_id = (select core.current_space())));

create function core.name_is_used(number integer) returns boolean
    language sql stable security definer set search_path = ''
    return exists (select from core.recall_entries e where e.space_id = core.current_space() and e.speaker = number)
        or exists (select from core.recall_entries e where e.space_id = core.current_space() and e.owner = number);
comment on function core.name_is_used(integer) is 'Whether any entry of the space has this number, whoever asks.';

create policy unused on core.recall_names as restrictive for delete to quipu_person
    using (not core.name_is_used(id));

grant select, insert, update, delete on core.recall_entries, core.recall_postings, core.recall_vectors,
    core.recall_threads, core.recall_terms to quipu_person;

grant select, insert, delete on core.recall_names to quipu_person;
grant select on core.recall_generations, core.recall_kinds to quipu_person;
grant usage on all sequences in schema core to quipu_person;

create function core.note_new_owner_of_session() returns trigger
    language plpgsql
    as $$
begin
    update core.sessions s set belongs_to = case
        when new.distinct_id is not null then core.joined_person(s.belongs_to, new.distinct_id)
        when s.belongs_to = old.distinct_id then ''
        else s.belongs_to end
    where s.space_id = new.space_id and s.id = new.id;
    return null;
end
$$;

create trigger whose_on_update after update of distinct_id on core.sessions
    for each row when (new.distinct_id is distinct from old.distinct_id) execute function core.note_new_owner_of_session();

-- What rests on messages (the rows of ``sources``, by the column ``owner``) holds until another message replaces one of these,
-- unless it is said again later. Where it has no key, only a person or the source of both can say so: what a rule found
-- ends nothing. With
-- ``by_rule``, a condition on a row x and a relation r, it ends something as well. ``rests`` says which sources s of a row x
-- count. All that rests on the message counts, whoever may see it: so these run as the owner.
create procedure core.end_by_relations(place text, name text, sources text, owner text, rests text default 'true',
    by_rule text default 'false')
    language plpgsql
    as $$
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
$$;

reset role;
