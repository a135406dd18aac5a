-- How fast episodes fade and what a use adds can be set: the formulas take both. The view goes by what is stored
-- for the space or for all; a program that is given other values passes them.

set local role quipu_owner;

create function episodes.raised(base double precision, uses integer, boost double precision) returns double precision
    language sql immutable parallel safe
    as $$ select base + 0.5 * (1 - base) * (1 - power(1 - boost, uses)) $$;

create function episodes.fresh(salience double precision, hours double precision, decay double precision)
    returns double precision
    language sql immutable parallel safe
    as $$ select exp(greatest(-decay * (1 - salience) * hours, -700)) $$;

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
    episodes.fresh(s.salience, episodes.hours(greatest(e.ended_at, e.last_accessed_at), now()), p.decay) as freshness,
    (
        select v.context::vector from core.recall_vectors v
        join core.spaces c on c.id = v.space_id and c.generation = v.generation
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
from (
    select core.number_set('episode_boost', 0.2) as boost, core.number_set('episode_decay_per_hour', 0.05) as decay
    offset 0
) p
cross join episodes.stored_episodes e
cross join lateral (select episodes.raised(e.base_salience, e.access_count, p.boost) as salience offset 0) s
where e.emptied_at is null;

drop function episodes.raised(double precision, integer);
drop function episodes.fresh(double precision, double precision);

reset role;
