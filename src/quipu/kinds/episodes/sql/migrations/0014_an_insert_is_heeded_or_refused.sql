-- What an insert says of freshness, activation and the vector was replaced without a word, and the salience that it gave
-- was raised once more by the uses that it gave.

set local role quipu_owner;

create or replace function episodes.lowered(salience double precision, uses integer, boost double precision)
    returns double precision
    language sql immutable parallel safe strict
    return greatest(least((salience - 0.5 * (1 - power(1 - boost, uses))) / (1 - 0.5 * (1 - power(1 - boost, uses))), 1), 0);

create or replace function episodes.write_episode() returns trigger
    language plpgsql volatile
    as $$
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
        perform core.leave_unfiled(4);
    end if;
    return new;
end
$$;
drop trigger written on episodes.episodes;
create trigger written instead of insert or update on episodes.episodes
    for each row execute function core.refuse_unwritten('id',
        'freshness and activation_score are worked out from ended_at and the uses, embedding from what it says: leave them '
            'out. Uses raise salience. A use is noted by raising access_count, with last_accessed_at or without. Most that '
            'is not in the text follows from what was said.',
        '');

reset role;
