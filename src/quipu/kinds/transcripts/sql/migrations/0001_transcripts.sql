-- Recorded sessions of coding agents, line by line, and what was learned from them. Names are those of
-- "Schema Changes for Memory Extraction"; space_id is ours, times are timestamptz.
--
-- What people and agent said is in core.messages, once; transcripts.lines has what a line of a transcript
-- knows besides, and the text of those lines that nobody said.

insert into core.recall_kinds (code, name) values (3, 'transcripts');

set local role quipu_owner;

create schema transcripts;
grant usage on schema transcripts to quipu_app;
comment on schema transcripts is 'Recorded sessions of coding agents, and the memories extracted from them.';

-- Messages are written before they are embedded: those that the index does not know yet.
create table core.unfiled_messages (
    space_id integer not null default core.current_space() references core.spaces (id) on delete cascade,
    message_id bigint not null,
    happened_at timestamptz not null,
    primary key (space_id, message_id),
    foreign key (space_id, message_id) references core.messages (space_id, id) on delete cascade
);

-- A thread stays while messages of it wait to be filed. The rest is as it was.
create or replace function core.take_out(gone bigint[]) returns void
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
        select t.id, l.entries, l.tokens, l.speakers, l.with_assistant, exists (
                select from core.unfiled_messages
                where space_id = here and message_id between t.id << 24 and (t.id << 24) + 16777215
            ) as waits
        from touched t
        cross join lateral (
            select count(*) as entries, coalesce(sum(tokens), 0) as tokens,
                   coalesce(bool_or(not by_user), false) as with_assistant,
                   coalesce(array_agg(distinct speaker) filter (where speaker > 0), '{}') as speakers
            from core.recall_entries
            where space_id = here and id between t.id << 24 and (t.id << 24) + 16777215
            offset 0
        ) l
    ), kept as (
        update core.recall_threads t
        set tokens = l.tokens, speakers = l.speakers, with_assistant = l.with_assistant
        from left_over l
        where t.space_id = here and t.id = l.id and (l.entries > 0 or l.waits)
    )
    delete from core.recall_threads t
    using left_over l
    where t.space_id = here and t.id = l.id and l.entries = 0 and not l.waits;

    delete from core.recall_names
    where space_id = here and id = any(people)
        and id not in (
            select speaker from core.recall_entries where space_id = here
            union all
            select owner from core.recall_entries where space_id = here
        );
end
$$;

create table transcripts.files (
    space_id integer not null default core.current_space() references core.spaces (id) on delete cascade,
    path text not null,
    size_bytes bigint not null check (size_bytes >= 0),
    offset_bytes bigint not null check (offset_bytes >= 0),
    prefix_sha256 bytea not null,
    modified_at timestamptz not null,
    synced_at timestamptz not null default now(),
    lines bigint not null default 0 check (lines >= 0),
    trouble text,
    primary key (space_id, path)
);
comment on table transcripts.files is 'How far each file was read; shown as transcripts.sync_state.';
comment on column transcripts.files.size_bytes is 'How large it was when all of it was read; until then, how much was.';
comment on column transcripts.files.prefix_sha256 is 'Of what was read: where it differs, the file was rewritten and is read anew.';

create table transcripts.session_details (
    space_id integer not null default core.current_space(),
    session_id bigint not null,
    project_path text not null default '',
    cwd text,
    git_branch text,
    agent_version text,
    source text not null default 'claude-code',
    first_line_at timestamptz,
    last_line_at timestamptz,
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
    primary key (space_id, session_id),
    foreign key (space_id, session_id) references core.sessions (space_id, id) on delete cascade
);
comment on column transcripts.session_details.first_line_at is 'Span of its own lines, said or not; last_line_at the end.';
comment on column transcripts.session_details.parent_session is 'The session that a subagent works for, by its name; tool_use_id the call that began it.';
create index session_details_project on transcripts.session_details (space_id, project_path);

create table transcripts.lines (
    space_id integer not null default core.current_space(),
    id bigint generated by default as identity,
    session_id bigint not null,
    uuid text not null check (char_length(uuid) between 1 and 512),
    parent_uuid text,
    logical_parent_uuid text,
    type text not null,
    subtype text,
    model text,
    response_id text,
    happened_at timestamptz not null,
    message_id bigint,
    content_text text,
    thinking text,
    blocks jsonb,
    cwd text,
    git_branch text,
    is_meta boolean not null default false,
    is_sidechain boolean not null default false,
    is_compact_summary boolean not null default false,
    is_noise boolean not null default false,
    is_prompt boolean not null default false,
    primary key (id, space_id),
    unique (uuid, space_id, session_id),
    foreign key (space_id, session_id) references core.sessions (space_id, id) on delete cascade,
    foreign key (space_id, message_id) references core.messages (space_id, id) on delete cascade
);
comment on column transcripts.lines.content_text is 'Of a line that nobody said (noise, meta, summary, system); what was said is in core.messages.';
comment on column transcripts.lines.blocks is 'Blocks that have no column (images without their data, documents), or the raw line of an unknown type.';
comment on column transcripts.lines.is_prompt is 'A person asked: it begins a turn.';
-- No index of this table begins with the space: as long as a planner takes the table for small, it would as
-- soon read all lines of the space by it as look one up.
create index lines_time on transcripts.lines (session_id, happened_at, id);
create index lines_message on transcripts.lines (message_id) where message_id is not null;

-- What one answer of the model cost: its lines repeat the usage, so it is kept once, as the maximum.
create table transcripts.responses (
    space_id integer not null default core.current_space(),
    response_id text not null,
    line_id bigint not null,
    session_id bigint not null,
    model text,
    happened_at timestamptz not null,
    input_tokens bigint not null default 0 check (input_tokens >= 0),
    output_tokens bigint not null default 0 check (output_tokens >= 0),
    cache_read_tokens bigint not null default 0 check (cache_read_tokens >= 0),
    cache_creation_tokens bigint not null default 0 check (cache_creation_tokens >= 0),
    primary key (space_id, response_id),
    foreign key (space_id, line_id) references transcripts.lines (space_id, id) on delete cascade
);
comment on column transcripts.responses.line_id is 'The line that shows the tokens; a copy of it in a resumed session shows none.';
create index responses_line on transcripts.responses (space_id, line_id);
create index responses_day on transcripts.responses (space_id, happened_at);

create table transcripts.tool_calls (
    space_id integer not null default core.current_space(),
    id text not null,
    line_id bigint not null,
    session_id bigint not null,
    tool_name text not null,
    tool_input jsonb not null default '{}'::jsonb,
    path text,
    happened_at timestamptz not null,
    primary key (space_id, session_id, id),
    foreign key (space_id, line_id) references transcripts.lines (space_id, id) on delete cascade
);
comment on table transcripts.tool_calls is 'A call has the id that the model gave it, once in each session that holds it.';
comment on column transcripts.tool_calls.path is 'The file that it was about, where its input names one.';
create index tool_calls_line on transcripts.tool_calls (space_id, line_id);
create index tool_calls_name on transcripts.tool_calls (space_id, tool_name, happened_at);
create index tool_calls_path on transcripts.tool_calls (space_id, path) where path is not null;

create table transcripts.tool_results (
    space_id integer not null default core.current_space(),
    tool_call_id text not null,
    line_id bigint not null,
    session_id bigint not null,
    content text not null,
    is_error boolean not null default false,
    spilled_from text,
    agent_session text,
    compacted_bytes bigint check (compacted_bytes >= 0),
    compacted_at timestamptz,
    happened_at timestamptz not null,
    primary key (space_id, session_id, tool_call_id),
    foreign key (space_id, line_id) references transcripts.lines (space_id, id) on delete cascade
);
comment on column transcripts.tool_results.spilled_from is 'The file beside the transcript that had the output, where it was too long for the line.';
comment on column transcripts.tool_results.agent_session is 'The session of the subagent that the call began.';
comment on column transcripts.tool_results.compacted_bytes is 'How long it was before it was replaced by a marker.';
create index tool_results_line on transcripts.tool_results (space_id, line_id);
create index tool_results_agent on transcripts.tool_results (space_id, agent_session) where agent_session is not null;

create table transcripts.summaries (
    space_id integer not null default core.current_space() references core.spaces (id) on delete cascade,
    leaf_uuid text not null check (char_length(leaf_uuid) between 1 and 512),
    summary text not null,
    primary key (space_id, leaf_uuid)
);
comment on table transcripts.summaries is 'Titles as they were found, each by the line that it names: often of a session in another file.';

create table transcripts.teams (
    space_id integer not null default core.current_space() references core.spaces (id) on delete cascade,
    id text not null,
    name text,
    description text,
    lead_session_id text,
    created_at timestamptz,
    primary key (space_id, id)
);

create table transcripts.team_members (
    space_id integer not null default core.current_space(),
    id text not null,
    team_id text not null,
    name text,
    agent_type text,
    model text,
    prompt text,
    color text,
    cwd text,
    joined_at timestamptz,
    primary key (space_id, team_id, id),
    foreign key (space_id, team_id) references transcripts.teams (space_id, id) on delete cascade
);

create table transcripts.team_tasks (
    space_id integer not null default core.current_space(),
    id text not null,
    team_id text not null,
    owner_name text,
    subject text,
    description text,
    status text not null default 'pending',
    created_at timestamptz,
    completed_at timestamptz,
    primary key (space_id, id),
    foreign key (space_id, team_id) references transcripts.teams (space_id, id) on delete cascade
);
comment on column transcripts.team_tasks.id is 'team:task.';

create table transcripts.prompts (
    space_id integer not null default core.current_space() references core.spaces (id) on delete cascade,
    id bigint generated always as identity,
    session text,
    project_path text not null default '',
    happened_at timestamptz not null,
    content text not null,
    primary key (space_id, id),
    unique nulls not distinct (space_id, session, happened_at, content)
);
comment on table transcripts.prompts is 'What was typed, from the history file: it outlives the sessions.';

-- Which extractor has read which session, and how it went.
create table transcripts.extractions (
    space_id integer not null default core.current_space(),
    session_id bigint not null,
    extractor text not null,
    version integer not null check (version > 0),
    status text not null check (status in ('none', 'done', 'partial', 'failed')),
    error text,
    memories integer not null default 0 check (memories >= 0),
    attempted_at timestamptz not null,
    primary key (space_id, session_id, extractor),
    foreign key (space_id, session_id) references core.sessions (space_id, id) on delete cascade
);

create table transcripts.memories (
    space_id integer not null default core.current_space() references core.spaces (id) on delete cascade,
    id uuid not null default gen_random_uuid(),
    session_id text,
    fact text not null check (char_length(fact) between 1 and 10000),
    category text check (category ~ '^[a-z][a-z0-9_ -]{0,63}$'),
    confidence real check (confidence between 0 and 1),
    created_at timestamptz default now(),
    updated_at timestamptz default now(),
    status text not null default 'active' check (status in ('active', 'archived')),
    origin text not null default 'manual' check (origin in ('manual', 'extracted', 'imported')),
    project_path text not null default '',
    extractor text,
    extractor_version integer check (extractor_version > 0),
    normal_form bytea,
    happened_at timestamptz not null default now(),
    edited_at timestamptz,
    confirmed_at timestamptz,
    used_at timestamptz,
    uses integer not null default 0 check (uses >= 0),
    entry_id bigint,
    primary key (space_id, id),
    foreign key (space_id, session_id) references core.sessions (space_id, name) on delete set null (session_id)
);
comment on column transcripts.memories.confidence is 'As it was judged; what it is today is computed from the times when it is read.';
comment on column transcripts.memories.normal_form is 'Hash of the fact without case, articles and punctuation: the same fact has the same.';
comment on column transcripts.memories.edited_at is 'A person changed it: extraction leaves it alone.';
comment on column transcripts.memories.entry_id is 'Its entry in core.recall_entries; null where the index does not know it yet.';
create index idx_memories_session on transcripts.memories (space_id, session_id);
create index idx_memories_category on transcripts.memories (space_id, category);
create unique index memories_entry on transcripts.memories (space_id, entry_id) where entry_id is not null;
create index idx_memories_created on transcripts.memories (space_id, created_at);
create unique index memories_normal_form on transcripts.memories (space_id, project_path, category, normal_form)
    where status = 'active' and normal_form is not null;

create table transcripts.memory_sources (
    space_id integer not null default core.current_space(),
    memory_id uuid not null,
    session_id text not null,
    turn_index integer not null check (turn_index >= 0),
    message_id bigint,
    excerpt text not null default '' check (char_length(excerpt) <= 1000),
    extractor text,
    extractor_version integer,
    extracted_at timestamptz not null default now(),
    primary key (space_id, memory_id, session_id, turn_index),
    foreign key (space_id, memory_id) references transcripts.memories (space_id, id) on delete cascade,
    foreign key (space_id, session_id) references core.sessions (space_id, name) on delete cascade
);
create index memory_sources_session on transcripts.memory_sources (space_id, session_id);
create index memory_sources_message on transcripts.memory_sources (space_id, message_id) where message_id is not null;

-- A later fact that says otherwise: the earlier one lost confidence by it.
create table transcripts.memory_contradictions (
    space_id integer not null default core.current_space(),
    memory_id uuid not null,
    contradicted_by uuid not null,
    created_at timestamptz not null default now(),
    primary key (space_id, memory_id, contradicted_by),
    foreign key (space_id, memory_id) references transcripts.memories (space_id, id) on delete cascade,
    foreign key (space_id, contradicted_by) references transcripts.memories (space_id, id) on delete cascade
);

-- What a person changed, and how it read before.
create table transcripts.memory_edits (
    space_id integer not null default core.current_space(),
    memory_id uuid not null,
    id bigint generated always as identity,
    fact text not null,
    category text,
    edited_at timestamptz not null default now(),
    primary key (space_id, id),
    foreign key (space_id, memory_id) references transcripts.memories (space_id, id) on delete cascade
);
comment on column transcripts.memory_edits.fact is 'As it was before the edit.';

do $$
declare
    t text;
begin
    execute 'alter table core.unfiled_messages enable row level security';
    execute 'alter table core.unfiled_messages force row level security';
    execute 'create policy own_space on core.unfiled_messages using (space_id = (select core.current_space()))';
    execute 'grant select, insert, update, delete on core.unfiled_messages to quipu_app';
    foreach t in array array['files', 'session_details', 'summaries', 'lines', 'responses', 'tool_calls', 'tool_results', 'teams',
        'team_members', 'team_tasks', 'prompts', 'extractions', 'memories', 'memory_sources', 'memory_contradictions',
        'memory_edits'] loop
        execute format('alter table transcripts.%I enable row level security', t);
        execute format('alter table transcripts.%I force row level security', t);
        execute format('create policy own_space on transcripts.%I using (space_id = (select core.current_space()))', t);
        execute format('grant select, insert, update, delete on transcripts.%I to quipu_app', t);
    end loop;
end
$$;
grant usage on all sequences in schema transcripts to quipu_app;

-- The names of the text.
create view transcripts.sessions with (security_invoker = true) as
select
    s.name as id,
    d.project_path,
    d.git_branch,
    d.cwd,
    coalesce(d.first_line_at, s.started_at) as first_timestamp,
    coalesce(d.last_line_at, s.last_at) as last_timestamp,
    coalesce(d.custom_title, d.ai_title, d.summary, left(d.first_prompt, 200)) as title,
    d.summary,
    d.source,
    d.parent_session,
    d.agent_type,
    case when x.status in ('done', 'partial') then 1 else 0 end as memories_extracted,
    x.attempted_at as extraction_attempted_at,
    coalesce(x.status, 'none') as extraction_status,
    x.error as extraction_error,
    x.extractor,
    x.version as extractor_version,
    s.space_id,
    s.id as session_number
from transcripts.session_details d
join core.sessions s on s.space_id = d.space_id and s.id = d.session_id
left join lateral (
    select * from transcripts.extractions x
    where x.space_id = d.space_id and x.session_id = d.session_id
    order by x.attempted_at desc, x.extractor limit 1
) x on true;

create function transcripts.mark_session() returns trigger
    language plpgsql volatile
    as $$
begin
    insert into transcripts.extractions (space_id, session_id, extractor, version, status, attempted_at)
    select s.space_id, s.id, coalesce(old.extractor, 'manual'), coalesce(old.extractor_version, 1),
        case when new.memories_extracted = 1 then 'done' else 'none' end, coalesce(new.extraction_attempted_at, now())
    from core.sessions s
    where s.space_id = core.current_space() and s.name = old.id
    on conflict (space_id, session_id, extractor) do update
        set status = excluded.status, attempted_at = excluded.attempted_at, error = null;
    return new;
end
$$;
create trigger mark_session instead of update on transcripts.sessions
    for each row execute function transcripts.mark_session();

create view transcripts.messages with (security_invoker = true) as
select
    l.uuid,
    s.name as session_id,
    l.parent_uuid,
    l.type,
    l.model,
    coalesce(m.content, l.content_text) as content_text,
    l.blocks as content_json,
    l.thinking,
    l.happened_at as "timestamp",
    coalesce(r.input_tokens, 0) as input_tokens,
    coalesce(r.output_tokens, 0) as output_tokens,
    coalesce(r.cache_read_tokens, 0) as cache_read_tokens,
    coalesce(r.cache_creation_tokens, 0) as cache_creation_tokens,
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
    l.id as line_id,
    l.space_id,
    l.session_id as session_number
from transcripts.lines l
join core.sessions s on s.space_id = l.space_id and s.id = l.session_id
left join core.messages m on m.space_id = l.space_id and m.id = l.message_id
left join transcripts.responses r on r.space_id = l.space_id and r.line_id = l.id;

create view transcripts.sync_state with (security_invoker = true) as
select path as file_path, modified_at as last_modified, offset_bytes as last_byte_offset, size_bytes, lines, trouble,
    synced_at, space_id
from transcripts.files;

grant select, update on transcripts.sessions to quipu_app;
grant select on transcripts.messages, transcripts.sync_state to quipu_app;

reset role;
