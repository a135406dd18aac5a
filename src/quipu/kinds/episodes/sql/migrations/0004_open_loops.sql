-- What an episode leaves open is what is open of the loops that its messages opened. Only where none was ever found
-- in them stands what its builder found, and where somebody wrote the column by SQL, what they wrote.

set local role quipu_owner;

alter table episodes.stored_episodes add column loops_by_hand boolean not null default false;
comment on column episodes.stored_episodes.open_loops is 'What its builder found; open_loops_of says what is open.';
comment on column episodes.stored_episodes.loops_by_hand is 'Its open loops were written by SQL: they stay so until it is written anew.';

create function episodes.open_loops_of(episode uuid, found jsonb, by_hand boolean) returns jsonb
    language sql stable parallel safe
    as $$
    select case when by_hand then found else coalesce((
        select coalesce(jsonb_agg(l.by_whom || ': ' || l.content || coalesce(' (due ' || to_char(
            (l.due_at - interval '1 second') at time zone 'UTC', 'YYYY-MM-DD') || ')', '') order by l.said_at, l.id)
            filter (where l.state = 'open'), '[]'::jsonb)
        from episodes.episode_messages m
        join episodes.loops l on l.space_id = m.space_id and l.message_id = m.message_id
        where m.space_id = (select core.current_space()) and m.episode_id = episode
        having count(*) > 0), found) end
    $$;

create or replace view episodes.episodes with (security_invoker = true) as
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
    episodes.open_loops_of(e.id, e.open_loops, e.loops_by_hand) as open_loops,
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

create or replace function episodes.write_episode() returns trigger
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
                open_loops = case when new.open_loops = old.open_loops then open_loops else new.open_loops end,
                loops_by_hand = loops_by_hand or new.open_loops <> old.open_loops,
                salience_factors = new.salience_factors, builder = 'sql',
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

reset role;
