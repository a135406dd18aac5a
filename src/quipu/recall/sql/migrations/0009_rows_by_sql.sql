-- Rows that SQL writes past every door are found as well: triggers of a kind's table note what the index does not know,
-- and who looks for it files that first (recall/unfiled.py).

set local role quipu_owner;

create function core.leave_unfiled(kind integer, space integer default core.current_space()) returns void
    language plpgsql volatile set search_path = pg_catalog, pg_temp
    as $$
begin
    -- Until this transaction ends nobody says that all is filed: see core.is_left_alone.
    perform pg_advisory_xact_lock_shared(731200 + kind, space);
    update core.spaces set unfiled = unfiled | (1 << (kind - 1)) where id = space and unfiled & (1 << (kind - 1)) = 0;
end
$$;
comment on function core.leave_unfiled(integer, integer) is
    'Notes that a space holds what the index does not know, of the kind with that code in core.recall_kinds.';

create function core.is_left_alone(kind integer) returns boolean
    language sql volatile
    return pg_try_advisory_xact_lock(731200 + kind, core.current_space());
comment on function core.is_left_alone(integer) is
    'Whether no open transaction has left something of this kind unfiled, and none does until this one ends.';

create function core.withdraw(gone bigint[]) returns void
    language plpgsql volatile set search_path = pg_catalog, pg_temp
    as $$
begin
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
comment on function core.withdraw(bigint[]) is
    'Takes entries that stand alone out of the index, with their share of the counters of the space that was entered.';

-- Before a row that names its entry is inserted, or says something else: it has none until it is filed.
create function core.unfile_row() returns trigger
    language plpgsql volatile set search_path = pg_catalog, pg_temp
    as $$
begin
    if lower(tg_op) = 'update' then
        perform core.withdraw(array[old.entry_id]);
    end if;
    new.entry_id := null;
    perform core.leave_unfiled(tg_argv[0]::integer, new.space_id);
    return new;
end
$$;
comment on function core.unfile_row() is
    'For a table with entry_id: takes out what the index has of a row, and leaves the row to be filed; its argument is the code of the kind.';

-- After rows that name their entries were deleted, whoever did it.
create function core.unfile_deleted() returns trigger
    language plpgsql volatile set search_path = pg_catalog, pg_temp
    as $$
begin
    perform core.withdraw(array_agg(entry_id)) from gone where entry_id is not null having count(*) > 0;
    return null;
end
$$;
comment on function core.unfile_deleted() is
    'For a table with entry_id, after a statement (old table as gone): takes out what the index has of its rows.';

reset role;
