-- Looking into transcripts: the words of every text, how far they were made, and a role for SQL of others.

do $$
begin
    if not exists (select from pg_roles where rolname = 'quipu_see') then
        create role quipu_see login noinherit;
    end if;
end
$$;

set local role quipu_owner;

-- One row for each text that can be searched: what was said or thought in a line, what a tool was given, what it
-- answered. The words have the number of their space in front ("7/boat"), so that each space has lists of its own.
create table transcripts.texts (
    space_id integer not null default core.current_space(),
    line_id bigint not null,
    part text not null check (part in ('said', 'thinking', 'input', 'result')),
    call_id text not null default '',
    session_id bigint not null,
    role text not null check (role in ('user', 'assistant', 'system', 'tool')),
    tool_name text,
    is_error boolean not null default false,
    happened_at timestamptz not null,
    words integer not null check (words >= 0),
    weight real not null,
    terms tsvector not null,
    primary key (space_id, line_id, part, call_id),
    foreign key (space_id, line_id) references transcripts.lines (space_id, id) on delete cascade
) with (autovacuum_vacuum_insert_scale_factor = 0.05);
comment on table transcripts.texts is 'The text index: made after the lines, in batches; see transcripts.indexing.';
comment on column transcripts.texts.call_id is 'The tool call of an input or a result; empty for what was said or thought.';
comment on column transcripts.texts.weight is 'What one occurrence of a word in it counts: by where it stands and how long it is.';
comment on column transcripts.texts.terms is 'Its words without positions, each with the number of the space in front.';
create index texts_terms on transcripts.texts using gin (terms) with (gin_pending_list_limit = 16384);

create table transcripts.indexing (
    space_id integer not null default core.current_space() references core.spaces (id) on delete cascade,
    indexed_to bigint not null default 0,
    settled_to bigint not null default 0,
    primary key (space_id)
);
comment on column transcripts.indexing.indexed_to is 'Lines up to this id have their texts in the index, but for those in transcripts.unindexed.';
comment on column transcripts.indexing.settled_to is 'No line up to this id can still come: whoever wrote one then has ended.';

create table transcripts.unindexed (
    space_id integer not null default core.current_space(),
    line_id bigint not null,
    primary key (space_id, line_id),
    foreign key (space_id, line_id) references transcripts.lines (space_id, id) on delete cascade
);
comment on table transcripts.unindexed is 'Lines whose text was changed after it was indexed.';

-- A right to read one space for the moment that a query takes; who asks cannot make one and cannot guess one.
create table transcripts.tickets (
    space_id integer not null default core.current_space() references core.spaces (id) on delete cascade,
    digest bytea not null,
    expires_at timestamptz not null,
    primary key (space_id, digest)
);

do $$
declare
    t text;
begin
    foreach t in array array['texts', 'indexing', 'unindexed', 'tickets'] loop
        execute format('alter table transcripts.%I enable row level security', t);
        execute format('alter table transcripts.%I force row level security', t);
        execute format('create policy own_space on transcripts.%I using (space_id = (select core.current_space()))', t);
        execute format('grant select, insert, update, delete on transcripts.%I to quipu_app', t);
    end loop;
end
$$;

-- An index on words is not used below a policy (the operator may tell of rows by its errors, PostgreSQL holds), so
-- it is asked by these functions of the owner, who sees every row and is shown those of the space alone.
create policy looking on transcripts.texts for select to quipu_owner using (true);
create policy looking on transcripts.tickets for select to quipu_owner using (true);

create function transcripts.input_text(input jsonb) returns text
    language sql immutable parallel safe
    return (
        select string_agg(one #>> '{}', E'\n')
        from jsonb_path_query(input, 'strict $.**') as v (one)
        where jsonb_typeof(one) in ('string', 'number')
    );
comment on function transcripts.input_text(jsonb) is 'The values of what a tool was given, one a line, without their names.';

-- A function of one line and not a view: a planner reads the four tables of a union through before it joins it.
create function transcripts.texts_of(space integer, line bigint) returns table (
    line_id bigint, part text, call_id text, session_id bigint, role text, tool_name text, is_error boolean,
    happened_at timestamptz, content text
)
    language sql stable
    begin atomic
    select l.id, 'said', '', l.session_id,
        case when l.is_meta or l.is_noise or l.is_compact_summary then 'system'
            when l.type in ('user', 'assistant') then l.type else 'system' end,
        null::text, false, l.happened_at, coalesce(m.content, l.content_text)
    from transcripts.lines l
    left join core.messages m on m.space_id = space and m.id = l.message_id
    where l.space_id = space and l.id = line and (l.message_id is not null or l.content_text is not null)
    union all
    select l.id, 'thinking', '', l.session_id, 'assistant', null, false, l.happened_at, l.thinking
    from transcripts.lines l
    where l.space_id = space and l.id = line and l.thinking is not null
    union all
    select c.line_id, 'input', c.id, c.session_id, 'assistant', c.tool_name, false, c.happened_at,
        transcripts.input_text(c.tool_input)
    from transcripts.tool_calls c
    where c.space_id = space and c.line_id = line
    union all
    select r.line_id, 'result', r.tool_call_id, r.session_id, 'tool', c.tool_name, r.is_error, r.happened_at,
        r.content
    from transcripts.tool_results r
    left join transcripts.tool_calls c
        on c.space_id = space and c.session_id = r.session_id and c.id = r.tool_call_id
    where r.space_id = space and r.line_id = line;
    end;
comment on function transcripts.texts_of(integer, bigint) is 'Every text of a line that can be searched, as it is now.';

create function transcripts.matching(
    asked tsquery, parts text[], sessions bigint[], roles text[], tools text[], errors boolean,
    since timestamptz, until timestamptz, sorted text, most integer
) returns table (
    line_id bigint, part text, call_id text, session_id bigint, role text, tool_name text, is_error boolean,
    happened_at timestamptz, words integer, found bigint
)
    language sql stable security definer set search_path = pg_catalog, pg_temp
    begin atomic
    select t.line_id, t.part, t.call_id, t.session_id, t.role, t.tool_name, t.is_error, t.happened_at, t.words,
        count(*) over () as found
    from transcripts.texts t
    where t.space_id = core.current_space() and t.terms @@ asked
        and (parts is null or t.part = any(parts))
        and (sessions is null or t.session_id = any(sessions))
        and (roles is null or t.role = any(roles))
        and (tools is null or t.tool_name = any(tools))
        and (not errors or t.is_error)
        and (since is null or t.happened_at >= since)
        and (until is null or t.happened_at < until)
    order by
        case when sorted = 'relevance' then t.weight end desc,
        case when sorted <> 'time-asc' then t.happened_at end desc,
        case when sorted = 'time-asc' then t.happened_at end,
        t.line_id desc, t.part
    limit most;
    end;
revoke execute on function transcripts.matching(
    tsquery, text[], bigint[], text[], text[], boolean, timestamptz, timestamptz, text, integer) from public;
grant execute on function transcripts.matching(
    tsquery, text[], bigint[], text[], text[], boolean, timestamptz, timestamptz, text, integer) to quipu_app;
comment on function transcripts.matching(
    tsquery, text[], bigint[], text[], text[], boolean, timestamptz, timestamptz, text, integer) is
    'Texts of the space that was entered that have the words, the best or the latest first.';

create function transcripts.settle_texts() returns void
    language sql volatile security definer set search_path = pg_catalog, pg_temp
    begin atomic
    select gin_clean_pending_list('transcripts.texts_terms'::regclass);
    end;
comment on function transcripts.settle_texts() is 'Sorts in what was put into the text index lately: until then each search reads through it.';
revoke execute on function transcripts.settle_texts() from public;
grant execute on function transcripts.settle_texts() to quipu_app;

-- What is changed is taken out of the index with the change and waits to be read anew.
create function transcripts.reindex() returns trigger
    language plpgsql volatile
    as $$
declare
    line constant bigint := case tg_table_name when 'lines' then (to_jsonb(new) ->> 'id')::bigint
                                else (to_jsonb(new) ->> 'line_id')::bigint end;
begin
    delete from transcripts.texts where space_id = new.space_id and line_id = line;
    insert into transcripts.unindexed (space_id, line_id) values (new.space_id, line) on conflict do nothing;
    return null;
end
$$;
create trigger reindex after update of content_text, thinking, message_id, is_meta, is_noise, is_compact_summary
    on transcripts.lines for each row
    when (old.content_text is distinct from new.content_text or old.thinking is distinct from new.thinking
        or old.message_id is distinct from new.message_id or old.is_meta <> new.is_meta
        or old.is_noise <> new.is_noise or old.is_compact_summary <> new.is_compact_summary)
    execute function transcripts.reindex();
create trigger reindex after update of tool_input, tool_name on transcripts.tool_calls for each row
    when (old.tool_input is distinct from new.tool_input or old.tool_name <> new.tool_name)
    execute function transcripts.reindex();
create trigger reindex after update of content, is_error on transcripts.tool_results for each row
    when (old.content is distinct from new.content or old.is_error <> new.is_error)
    execute function transcripts.reindex();

-- SQL of others runs on a connection of quipu_see, which owns nothing and may become nobody else. Policies add up
-- for all but the restrictive: whatever a query sets, it sees no space but that of its ticket.
create function transcripts.ticket_space() returns integer
    language sql stable security definer set search_path = pg_catalog, pg_temp
    begin atomic
    select t.space_id from transcripts.tickets t
    where t.digest = sha256(convert_to(current_setting('quipu.ticket', true), 'UTF8')) and t.expires_at > now();
    end;
comment on function transcripts.ticket_space() is 'The space that the ticket of this connection is for, or null.';
revoke execute on function transcripts.ticket_space() from public;
grant execute on function transcripts.ticket_space() to quipu_see;

-- Where a server asks for a password, quipu_see has one for as long as it takes to connect.
create function transcripts.reader_password(secret text) returns void
    language plpgsql volatile
    as $$
begin
    execute format('alter role quipu_see password %L', secret);
end
$$;
comment on function transcripts.reader_password(text) is
    'Gives quipu_see a password (as a SCRAM secret), or none; needs the right to alter that role.';
revoke execute on function transcripts.reader_password(text) from public;

grant usage on schema transcripts to quipu_see;
do $$
declare
    t text;
begin
    foreach t in array array['core.sessions', 'core.messages', 'transcripts.files', 'transcripts.session_details',
        'transcripts.summaries', 'transcripts.lines', 'transcripts.responses', 'transcripts.tool_calls', 'transcripts.tool_results',
        'transcripts.teams', 'transcripts.team_members', 'transcripts.team_tasks', 'transcripts.prompts',
        'transcripts.extractions', 'transcripts.memories', 'transcripts.memory_sources',
        'transcripts.memory_contradictions', 'transcripts.memory_edits'] loop
        execute format('create policy seen on %s as restrictive to quipu_see '
            'using (space_id = (select transcripts.ticket_space()))', t);
        execute format('grant select on %s to quipu_see', t);
    end loop;
end
$$;
grant select on transcripts.sessions, transcripts.messages, transcripts.sync_state to quipu_see;

reset role;
