-- From some 3,300 uses on, power(0.8, uses) is less than a number can be: an error of every list and view of the space.

set local role quipu_owner;

create function episodes.unraised(uses integer, boost double precision) returns double precision
    language sql immutable parallel safe
    return exp(greatest(uses * ln(greatest(1 - boost, 1e-300)), -700));
comment on function episodes.unraised(integer, double precision) is
    'What so many uses leave of the way to the most that they raise to: (1 - boost) to the power of the uses.';

create or replace function episodes.raised(base double precision, uses integer, boost double precision)
    returns double precision
    language sql immutable parallel safe
    return base + 0.5 * (1 - base) * (1 - episodes.unraised(uses, boost));

create or replace function episodes.lowered(salience double precision, uses integer, boost double precision)
    returns double precision
    language sql immutable parallel safe strict
    return greatest(least((salience - 0.5 * (1 - episodes.unraised(uses, boost)))
        / (1 - 0.5 * (1 - episodes.unraised(uses, boost))), 1), 0);

reset role;
