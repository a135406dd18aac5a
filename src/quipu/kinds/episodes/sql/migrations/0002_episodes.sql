-- Episodes: what conversations condense into. episodes.episodes is the table of the text, as a view: what fades
-- is worked out when it is read, from what happened, and never stored.

set local role quipu_owner;

create table episodes.stored_episodes (
    space_id integer not null default core.current_space() references core.spaces (id) on delete cascade,
    id uuid not null default gen_random_uuid(),
    session_id bigint,
    thread_id bigint,
    user_name text check (char_length(user_name) between 1 and 512),
    intent jsonb not null check (jsonb_typeof(intent) = 'object'),
    context jsonb not null check (jsonb_typeof(context) = 'object'),
    action text not null,
    emotion jsonb not null check (jsonb_typeof(emotion) = 'object'),
    outcome text not null,
    gist text not null,
    base_salience double precision not null check (base_salience between 0 and 1),
    topic text not null,
    exchange_id text,
    salience_factors jsonb not null check (jsonb_typeof(salience_factors) = 'object'),
    open_loops jsonb not null default '[]'::jsonb check (jsonb_typeof(open_loops) = 'array'),
    started_at timestamptz not null,
    ended_at timestamptz not null,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    deleted_at timestamptz,
    last_accessed_at timestamptz,
    access_count integer not null default 0 check (access_count >= 0),
    builder text not null,
    builder_version integer not null default 1 check (builder_version > 0),
    builder_trouble text,
    version integer not null default 1 check (version > 0),
    emptied_at timestamptz,
    refile boolean not null default false,
    entry_id bigint,
    primary key (space_id, id),
    check (started_at <= ended_at),
    check (deleted_at is null or entry_id is null or refile),
    check ((access_count = 0) = (last_accessed_at is null)),
    foreign key (space_id, session_id) references core.sessions (space_id, id) on delete cascade,
    foreign key (space_id, thread_id) references episodes.threads (space_id, id) on delete set null (thread_id)
);
comment on column episodes.stored_episodes.base_salience is 'What it weighed when it was made; uses raise it when it is read.';
comment on column episodes.stored_episodes.ended_at is 'When it happened: it fades from then, or from its last use.';
comment on column episodes.stored_episodes.builder is 'Who wrote it: rules, the name of a language model, or sql.';
comment on column episodes.stored_episodes.builder_trouble is 'Why the language model that is configured did not write it.';
comment on column episodes.stored_episodes.emptied_at is 'A message of it was forgotten: its words are gone until it is written anew from the others.';
comment on column episodes.stored_episodes.refile is 'It was changed by SQL: the index follows with the next recall.';
create index episodes_session on episodes.stored_episodes (space_id, session_id);
create index episodes_thread on episodes.stored_episodes (space_id, thread_id) where thread_id is not null;
create index episodes_ended on episodes.stored_episodes (space_id, ended_at desc);
create index episodes_user on episodes.stored_episodes (space_id, user_name) where user_name is not null;
create unique index episodes_entry on episodes.stored_episodes (space_id, entry_id) where entry_id is not null;
create index episodes_refile on episodes.stored_episodes (space_id) where refile;
create index episodes_intent on episodes.stored_episodes (space_id, (intent ->> 'type'));

-- An exchange belongs to one episode; without it, it waits for another.
alter table episodes.exchanges
    add column set_aside boolean not null default false,
    add foreign key (space_id, episode_id) references episodes.stored_episodes (space_id, id)
        on delete set null (episode_id);
comment on column episodes.exchanges.set_aside is 'Its episode was erased alone: it is not condensed again.';

create table episodes.episode_messages (
    space_id integer not null default core.current_space(),
    episode_id uuid not null,
    message_id bigint not null,
    primary key (space_id, episode_id, message_id),
    foreign key (space_id, episode_id) references episodes.stored_episodes (space_id, id) on delete cascade,
    foreign key (space_id, message_id) references core.messages (space_id, id) on delete cascade
);
create index episode_messages_message on episodes.episode_messages (space_id, message_id);

-- The latest uses of an episode; of older ones their number is known: access_count less those that stand here.
create table episodes.accesses (
    space_id integer not null default core.current_space(),
    episode_id uuid not null,
    accessed_at timestamptz not null,
    primary key (space_id, episode_id, accessed_at),
    foreign key (space_id, episode_id) references episodes.stored_episodes (space_id, id) on delete cascade
);

-- How an episode read before it was written anew.
create table episodes.episode_history (
    space_id integer not null default core.current_space(),
    episode_id uuid not null,
    version integer not null check (version > 0),
    said jsonb not null,
    base_salience double precision not null check (base_salience between 0 and 1),
    builder text not null,
    builder_version integer not null check (builder_version > 0),
    replaced_at timestamptz not null,
    primary key (space_id, episode_id, version),
    foreign key (space_id, episode_id) references episodes.stored_episodes (space_id, id) on delete cascade
);

do $$
declare
    t text;
begin
    foreach t in array array['stored_episodes', 'episode_messages', 'accesses', 'episode_history'] loop
        execute format('alter table episodes.%I enable row level security', t);
        execute format('alter table episodes.%I force row level security', t);
        execute format('create policy own_space on episodes.%I using (space_id = (select core.current_space()))', t);
        execute format('grant select, insert, update, delete on episodes.%I to quipu_app', t);
    end loop;
end
$$;

-- The formulas of kinds/episodes/fading, where their sources are named; a test holds them to each other.

create function episodes.raised(base double precision, uses integer) returns double precision
    language sql immutable parallel safe
    as $$ select base + 0.5 * (1 - base) * (1 - power(0.8::float8, uses)) $$;

create function episodes.hours(since timestamptz, moment timestamptz) returns double precision
    language sql immutable parallel safe
    as $$ select greatest(extract(epoch from moment) - extract(epoch from since), 0)::float8 / 3600 $$;

create function episodes.fresh(salience double precision, hours double precision) returns double precision
    language sql immutable parallel safe
    as $$ select exp(greatest(-0.05 * (1 - salience) * hours, -700)) $$;

create function episodes.activation(
    happened_at timestamptz, uses integer, recent timestamptz[], moment timestamptz
) returns double precision
    language sql immutable parallel safe
    as $$
    select 1 / (1 + exp(-2.0 - ln(known + case
        when older <= 0 then 0
        when first - last < 1::float8 / 60 then older * power(last, -0.5)
        else older * (sqrt(first) - sqrt(last)) / (0.5 * (first - last)) end)))
    from (
        select sum(power(age, -0.5)) as known, max(age) as last,
            greatest(max(age), episodes.hours(happened_at, moment)) as first,
            case when uses > cardinality(recent) then uses - cardinality(recent) + 1 else 0 end as older
        from (
            select greatest(episodes.hours(at, moment), 1::float8 / 60) as age
            from unnest(case when uses > cardinality(recent) then recent else recent || happened_at end) as r (at)
        ) ages
    ) b
    $$;

-- The table of the text. ``embedding`` is by the model that the space is searched with.
create view episodes.episodes with (security_invoker = true) as
select
    e.id,
    e.intent,
    e.context,
    e.action,
    e.emotion,
    e.outcome,
    e.gist,
    s.salience,
    episodes.fresh(s.salience, episodes.hours(greatest(e.ended_at, e.last_accessed_at), now())) as freshness,
    (
        select v.context::vector from core.recall_vectors v
        join core.spaces p on p.id = v.space_id and p.generation = v.generation
        where v.space_id = e.space_id and v.entry_id = e.entry_id
    ) as embedding,
    e.topic,
    e.exchange_id,
    episodes.activation(e.ended_at, e.access_count, array(
        select a.accessed_at from episodes.accesses a
        where a.space_id = e.space_id and a.episode_id = e.id), now()) as activation_score,
    e.salience_factors,
    e.open_loops,
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
from episodes.stored_episodes e
cross join lateral (select episodes.raised(e.base_salience, e.access_count) as salience offset 0) s
where e.emptied_at is null;
comment on view episodes.episodes is 'Salience, freshness and activation are those of now.';

create function episodes.note_use(episode uuid, uses integer, at timestamptz) returns void
    language plpgsql volatile
    as $$
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

create function episodes.write_episode() returns trigger
    language plpgsql volatile
    as $$
declare
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
            new.outcome, new.gist, new.salience, new.topic, new.exchange_id, new.salience_factors,
            coalesce(new.open_loops, '[]'::jsonb), least(coalesce(new.started_at, happened), happened), happened,
            new.created_at, coalesce(new.updated_at, new.created_at), new.deleted_at, null, 0, 'sql', true);
        if new.access_count > 0 then
            perform episodes.note_use(new.id, new.access_count, coalesce(new.last_accessed_at, new.created_at));
        end if;
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
                open_loops = new.open_loops, salience_factors = new.salience_factors, builder = 'sql',
                builder_version = 1, version = version + 1, updated_at = now(), refile = true
            where space_id = old.space_id and id = old.id;
        end if;
        update episodes.stored_episodes set
            deleted_at = new.deleted_at,
            refile = refile or (new.deleted_at is null) <> (old.deleted_at is null),
            base_salience = case when new.salience is distinct from old.salience then new.salience else base_salience end
        where space_id = old.space_id and id = old.id;
        if new.access_count > old.access_count then
            perform episodes.note_use(old.id, new.access_count, coalesce(new.last_accessed_at, now()));
        end if;
    end if;
    update core.spaces s set unfiled = s.unfiled | 8
    where s.id = (select core.current_space()) and s.unfiled & 8 = 0
        and exists (select from episodes.stored_episodes e where e.space_id = s.id and e.refile);
    return new;
end
$$;
create trigger write_episode instead of insert or update or delete on episodes.episodes
    for each row execute function episodes.write_episode();

grant select, insert, update, delete on episodes.episodes to quipu_app;

reset role;
