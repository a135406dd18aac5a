-- A salience beyond 0 to 1 was cut to the scale before the check of its column could refuse it.

set local role quipu_owner;

create or replace function episodes.lowered(salience double precision, uses integer, boost double precision)
    returns double precision
    language sql immutable parallel safe strict
    return case
        when salience between 0 and 1 then greatest(0, (salience - 0.5 * (1 - episodes.unraised(uses, boost)))
            / (1 - 0.5 * (1 - episodes.unraised(uses, boost))))
        else salience
    end;

reset role;
