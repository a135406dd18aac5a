-- A transaction of SQL may be left open for hours. It says so while it is, in the space whose rows it writes: a recall
-- that has something to file then waits for nothing.

set local role quipu_owner;

create function core.write_by_hand(space integer) returns void
    language sql volatile
    as $$ select pg_advisory_xact_lock_shared(731200, space) $$;
comment on function core.write_by_hand(integer) is
    'Says until the end of this transaction that somebody writes to the space by SQL: see core.is_written_by_hand.';

create function core.is_written_by_hand() returns boolean
    language sql volatile security definer set search_path = pg_catalog, pg_temp
    as $$
    select exists (
        select from pg_locks
        where locktype = 'advisory' and classid = 731200 and objid = core.current_space() and objsubid = 2
            and database = (select oid from pg_database where datname = current_database()))
    $$;
comment on function core.is_written_by_hand() is 'Whether a transaction of SQL that wrote to this space is open still.';

create or replace function core.leave_unfiled(kind integer, space integer default core.current_space()) returns void
    language plpgsql volatile set search_path = pg_catalog, pg_temp
    as $$
begin
    perform core.write_by_hand(space);
    -- Until this transaction ends nobody says that all is filed: see core.is_left_alone.
    perform pg_advisory_xact_lock_shared(731200 + kind, space);
    update core.spaces set unfiled = unfiled | (1 << (kind - 1)) where id = space and unfiled & (1 << (kind - 1)) = 0;
end
$$;

create or replace function core.withdraw(gone bigint[]) returns void
    language plpgsql volatile set search_path = pg_catalog, pg_temp
    as $$
begin
    perform core.write_by_hand(core.current_space());
    update core.spaces s set
        entries = s.entries - g.entries, tokens = s.tokens - g.tokens, mixed_tokens = s.mixed_tokens - g.mixed_tokens,
        version = s.version + 1
    from (
        select count(*) as entries, sum(tokens) as tokens, sum(mixed_tokens::float8) as mixed_tokens
        from core.recall_entries where space_id = core.current_space() and id = any(gone)
    ) g
    where s.id = core.current_space() and g.entries > 0;
    if found then
        perform core.take_out(gone);
    end if;
end
$$;

create or replace function core.ask_for_space() returns trigger
    language plpgsql volatile
    as $$
begin
    perform core.write_by_hand(core.entered());
    return case lower(tg_op) when 'delete' then old else new end;
end
$$;

reset role;
