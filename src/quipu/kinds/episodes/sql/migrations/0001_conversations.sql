-- Conversations as the seed names them, over the record; what was understood of each exchange in them, and the
-- threads and topics that exchanges belong to.

insert into core.recall_kinds (code, name) values (4, 'episodes');

set local role quipu_owner;

create schema episodes;
grant usage on schema episodes to quipu_app;
comment on schema episodes is 'Conversations, and the episodes that they condense into.';

-- A run of exchanges in one channel without a long pause.
create table episodes.threads (
    space_id integer not null default core.current_space() references core.spaces (id) on delete cascade,
    id bigint generated always as identity,
    user_name text check (char_length(user_name) between 1 and 512),
    platform text not null check (char_length(platform) between 1 and 64),
    channel text not null check (char_length(channel) between 1 and 512),
    seq integer not null check (seq > 0),
    name text not null generated always as (platform || ':' || channel || ':' || seq) stored,
    state text not null default 'open' check (state in ('open', 'ended')),
    started_at timestamptz not null,
    last_at timestamptz not null,
    exchanges integer not null default 0 check (exchanges >= 0),
    resumed integer not null default 0 check (resumed >= 0),
    continued_from bigint,
    primary key (space_id, id),
    unique (space_id, platform, channel, seq),
    foreign key (space_id, continued_from) references episodes.threads (space_id, id)
        on delete set null (continued_from)
);
comment on column episodes.threads.user_name is 'Whose thread it is; null where several people take part.';
comment on column episodes.threads.state is 'ended: a later thread of the channel has begun.';
comment on column episodes.threads.resumed is 'How often it was taken up again after a pause that is long, but not too long.';
create index threads_time on episodes.threads (space_id, platform, channel, last_at);
create index threads_from on episodes.threads (space_id, continued_from) where continued_from is not null;

-- What a person comes back to. It is theirs: what one person talks of must not name what another does.
create table episodes.topics (
    space_id integer not null default core.current_space() references core.spaces (id) on delete cascade,
    id bigint generated always as identity,
    user_name text not null default '' check (char_length(user_name) <= 512),
    name text not null check (char_length(name) between 1 and 200),
    messages integer not null default 0 check (messages >= 0),
    words jsonb not null default '{}'::jsonb,
    centroid halfvec,
    generation smallint,
    last_at timestamptz not null,
    primary key (space_id, id),
    unique (space_id, user_name, name)
);
comment on column episodes.topics.user_name is 'Whose topic it is; empty where that is not known.';
comment on column episodes.topics.words is 'How often its commonest words were said: word to count.';
comment on column episodes.topics.centroid is 'The mean of the vectors of its latest exchanges, by the model of this generation.';
create index topics_last on episodes.topics (space_id, user_name, last_at desc);

-- What is known of a conversation (a session of the record) besides what was said.
create table episodes.conversation_details (
    space_id integer not null default core.current_space() references core.spaces (id) on delete cascade,
    session_id bigint not null,
    user_name text check (char_length(user_name) between 1 and 512),
    topic text check (char_length(topic) between 1 and 200),
    title text check (char_length(title) between 1 and 500),
    status text not null default 'active' check (status in ('active', 'archived', 'deleted')),
    thread_id bigint,
    topic_id bigint,
    updated_at timestamptz,
    primary key (space_id, session_id),
    foreign key (space_id, session_id) references core.sessions (space_id, id) on delete cascade,
    foreign key (space_id, thread_id) references episodes.threads (space_id, id) on delete set null (thread_id),
    foreign key (space_id, topic_id) references episodes.topics (space_id, id) on delete set null (topic_id)
);
comment on column episodes.conversation_details.topic is 'As somebody has set it; else it is the name of the topic that was found.';
comment on column episodes.conversation_details.updated_at is 'When somebody last changed the topic, title or status.';
comment on column episodes.conversation_details.thread_id is 'The thread of its latest exchange, as topic_id is its topic.';
create index conversation_details_thread on episodes.conversation_details (space_id, thread_id);
create index conversation_details_topic on episodes.conversation_details (space_id, topic_id);

create table episodes.message_details (
    space_id integer not null default core.current_space(),
    message_id bigint not null,
    mode text check (mode in ('RESPOND', 'ACT', 'CLARIFY', 'ACKNOWLEDGE', 'IGNORE')),
    metadata jsonb not null default '{}'::jsonb check (jsonb_typeof(metadata) = 'object'),
    primary key (space_id, message_id),
    foreign key (space_id, message_id) references core.messages (space_id, id) on delete cascade
);
comment on column episodes.message_details.mode is 'What a reply did. Null: it is no reply, or nobody has looked yet.';

-- Somebody says something, and is answered.
create table episodes.exchanges (
    space_id integer not null default core.current_space() references core.spaces (id) on delete cascade,
    id bigint generated always as identity,
    session_id bigint not null,
    thread_id bigint,
    topic_id bigint,
    first_message bigint not null,
    last_message bigint not null,
    user_name text,
    started_at timestamptz not null,
    ended_at timestamptz not null,
    surprise real not null default 0 check (surprise between 0 and 1),
    salience real not null default 0 check (salience between 0 and 1),
    chunk jsonb,
    chunker text,
    chunker_version integer check (chunker_version > 0),
    chunk_trouble text,
    chunked_at timestamptz,
    episode_id uuid,
    primary key (space_id, id),
    unique (space_id, session_id, first_message),
    check (first_message <= last_message),
    check ((chunk is null) = (chunked_at is null)),
    foreign key (space_id, session_id) references core.sessions (space_id, id) on delete cascade,
    foreign key (space_id, thread_id) references episodes.threads (space_id, id) on delete set null (thread_id),
    foreign key (space_id, topic_id) references episodes.topics (space_id, id) on delete set null (topic_id)
);
comment on column episodes.exchanges.first_message is 'Messages of the session from this id to last_message, those of system prompts aside.';
comment on column episodes.exchanges.surprise is 'How little was to be expected of it after what was said before: 1 is a new topic after a pause.';
comment on column episodes.exchanges.chunk is 'What it yields: gists, facts, traits, style, scope, emotion. Null: it is to be read anew.';
comment on column episodes.exchanges.chunker is 'Who made the chunk: rules, or the name of a language model.';
comment on column episodes.exchanges.chunk_trouble is 'Why the language model that is configured did not make it.';
create index exchanges_loose on episodes.exchanges (space_id, session_id, id) where episode_id is null;
create index exchanges_episode on episodes.exchanges (space_id, episode_id) where episode_id is not null;
create index exchanges_thread on episodes.exchanges (space_id, thread_id);
create index exchanges_topic on episodes.exchanges (space_id, topic_id);

-- How far a job has read a session.
create table episodes.progress (
    space_id integer not null default core.current_space() references core.spaces (id) on delete cascade,
    session_id bigint not null,
    topic text not null check (char_length(topic) between 1 and 50),
    mark bigint not null,
    skipped integer not null default 0 check (skipped >= 0),
    updated_at timestamptz not null default now(),
    primary key (space_id, session_id, topic),
    foreign key (space_id, session_id) references core.sessions (space_id, id) on delete cascade
);
comment on column episodes.progress.topic is 'The topic of the job in the queue.';
comment on column episodes.progress.mark is 'The last that it has dealt with: of the chunker a message, of the others an exchange.';
comment on column episodes.progress.skipped is 'How many it could make nothing of.';

-- A prompt that waits for an answer, or has it.
create table episodes.prompts (
    space_id integer not null default core.current_space() references core.spaces (id) on delete cascade,
    id uuid not null default gen_random_uuid(),
    session text not null check (char_length(session) between 1 and 512),
    user_name text check (char_length(user_name) between 1 and 512),
    content text,
    status text not null default 'waiting' check (status in ('waiting', 'answered', 'no_agent', 'failed')),
    answered_by text,
    error text,
    prompt_message bigint,
    reply_message bigint,
    created_at timestamptz not null,
    answered_at timestamptz,
    primary key (space_id, id),
    check ((status = 'waiting') = (answered_at is null))
);
comment on column episodes.prompts.content is 'What is asked, until it stands in the record.';
comment on column episodes.prompts.status is 'no_agent: nobody was configured who could answer, and the reply says so.';
create index prompts_session on episodes.prompts (space_id, session, created_at);
create index prompts_reply on episodes.prompts (space_id, reply_message) where reply_message is not null;
create index prompts_message on episodes.prompts (space_id, prompt_message) where prompt_message is not null;

do $$
declare
    t text;
begin
    foreach t in array array['threads', 'topics', 'conversation_details', 'message_details', 'exchanges', 'progress',
        'prompts'] loop
        execute format('alter table episodes.%I enable row level security', t);
        execute format('alter table episodes.%I force row level security', t);
        execute format('create policy own_space on episodes.%I using (space_id = (select core.current_space()))', t);
        execute format('grant select, insert, update, delete on episodes.%I to quipu_app', t);
    end loop;
end
$$;
grant usage on all sequences in schema episodes to quipu_app;

-- The names of the text.
create view episodes.conversations with (security_invoker = true) as
select
    s.uid as id,
    coalesce(d.user_name, s.distinct_id) as user_id,
    coalesce(d.topic, t.name, '') as topic,
    d.title,
    coalesce(d.status, 'active') as status,
    coalesce(s.started_at, s.created_at) as created_at,
    greatest(d.updated_at, coalesce(s.last_at, s.created_at)) as updated_at,
    h.name as thread_id,
    s.name as session,
    s.messages,
    s.space_id,
    s.id as session_number
from core.sessions s
left join episodes.conversation_details d on d.space_id = s.space_id and d.session_id = s.id
left join episodes.topics t on t.space_id = d.space_id and t.id = d.topic_id
left join episodes.threads h on h.space_id = d.space_id and h.id = d.thread_id;

create function episodes.write_conversation() returns trigger
    language plpgsql volatile
    as $$
declare
    number bigint;
begin
    if lower(tg_op) = 'insert' then
        insert into core.sessions (space_id, name, distinct_id)
        values (core.current_space(), coalesce(new.id, gen_random_uuid())::text, new.user_id)
        returning id, uid into number, new.id;
    else
        number := old.session_number;
    end if;
    insert into episodes.conversation_details as d (session_id, user_name, topic, title, status, updated_at)
    values (number, new.user_id, nullif(new.topic, ''), new.title, coalesce(new.status, 'active'),
        coalesce(new.updated_at, now()))
    on conflict (space_id, session_id) do update set
        user_name = excluded.user_name,
        topic = case when new.topic is distinct from old.topic then excluded.topic else d.topic end,
        title = excluded.title,
        status = excluded.status,
        updated_at = case when new.updated_at is distinct from old.updated_at then excluded.updated_at else now() end;
    return new;
end
$$;
create trigger write_conversation instead of insert or update on episodes.conversations
    for each row execute function episodes.write_conversation();

create view episodes.messages with (security_invoker = true) as
select
    case when m.external_id ~ '^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$' then m.external_id::uuid
        else md5(m.space_id || '/' || m.id)::uuid end as id,
    s.uid as conversation_id,
    m.role,
    m.content,
    d.mode,
    coalesce(d.metadata, '{}'::jsonb) as metadata,
    m.happened_at as created_at,
    m.id as message_number,
    m.external_id,
    m.session_id as session_number,
    m.space_id
from core.messages m
join core.sessions s on s.space_id = m.space_id and s.id = m.session_id
left join episodes.message_details d on d.space_id = m.space_id and d.message_id = m.id;

create function episodes.write_message() returns trigger
    language plpgsql volatile
    as $$
begin
    if lower(tg_op) = 'insert' or new.content is distinct from old.content or new.role is distinct from old.role then
        raise exception 'what was said is written by observe(), which takes out secrets and files it'
            using errcode = 'feature_not_supported',
                hint = 'Here only mode and metadata of a message can be changed.';
    end if;
    insert into episodes.message_details (message_id, mode, metadata)
    values (old.message_number, new.mode, coalesce(new.metadata, '{}'::jsonb))
    on conflict (space_id, message_id) do update set mode = excluded.mode, metadata = excluded.metadata;
    return new;
end
$$;
create trigger write_message instead of insert or update on episodes.messages
    for each row execute function episodes.write_message();

grant select, insert, update on episodes.conversations to quipu_app;
grant select, insert, update on episodes.messages to quipu_app;

reset role;
