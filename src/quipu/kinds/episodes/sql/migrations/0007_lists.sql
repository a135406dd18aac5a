-- What lists of 100,000 episodes and loops need. The hours between two moments were worked out in numeric, which took
-- most of the time of a list by freshness; and the activation of many episodes is worked out for all of them at once,
-- from sums of their uses, so the formula stands by itself.

set local role quipu_owner;

create or replace function episodes.hours(since timestamptz, moment timestamptz) returns float8
    language sql immutable parallel safe
    as $$ select greatest(date_part('epoch', moment - since), 0) / 3600 $$;

create function episodes.activated(known float8, older bigint, first float8, last float8) returns float8
    language sql immutable parallel safe
    as $$
    select 1 / (1 + exp(-2.0 - ln(known + case
        when older <= 0 then 0
        when first - last < 1::float8 / 60 then older * power(last, -0.5)
        else older * (sqrt(first) - sqrt(last)) / (0.5 * (first - last)) end)))
    $$;
comment on function episodes.activated(float8, bigint, float8, float8) is
    'How near an episode is, 0 to 1: known uses weighed by their age in hours, and older ones spread between first and last.';

create or replace function episodes.activation(happened_at timestamptz, uses integer, recent timestamptz[], moment timestamptz)
    returns float8
    language sql immutable parallel safe
    as $$
    select episodes.activated(known, older, first, last)
    from (
        select sum(power(age, -0.5)) as known, max(age) as last,
            greatest(max(age), episodes.hours(happened_at, moment)) as first,
            (case when uses > cardinality(recent) then uses - cardinality(recent) + 1 else 0 end)::bigint as older
        from (
            select greatest(episodes.hours(at, moment), 1::float8 / 60) as age
            from unnest(case when uses > cardinality(recent) then recent else recent || happened_at end) as r (at)
        ) ages
    ) b
    $$;

create index episodes_used on episodes.stored_episodes (space_id, last_accessed_at) where last_accessed_at is not null;
create index loops_latest on episodes.loops (space_id, state, (coalesce(closed_at, said_at)), id);
create index loops_due on episodes.loops (space_id, due_at) where state = 'open' and due_at is not null;
create index prompts_latest on episodes.prompts (space_id, created_at);

reset role;
