-- The index gives a row its entry, not SQL: rows that SQL copied back with the entries that they had, or took them from,
-- were never found again.

set local role quipu_owner;

create function core.is_withdrawn(entry bigint) returns boolean
    language sql stable security definer set search_path = ''
    return exists (
        select from core.at_commit c where c.space_id = core.current_space() and is_withdrawn.entry = any(c.gone));
comment on function core.is_withdrawn(bigint) is 'Whether SQL has left an entry to be taken out when this transaction commits.';

create function core.be_given_entry() returns trigger
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
    as $$
declare
    before bigint;
begin
    if lower(tg_op) = 'update' then
        before := old.entry_id;
    end if;
    if new.entry_id is null and core.is_withdrawn(before) then
        perform core.leave_unfiled(tg_argv[0]::integer, new.space_id);
        return new;
    end if;
    if new.space_id = core.entered() and (
            new.entry_id is null and not core.is_filed(before)
            or exists (
                select from core.recall_entries e
                where e.space_id = new.space_id and e.id = new.entry_id and e.source_table = tg_table_name
                    and e.source_id = new.id::text)
            and not core.is_withdrawn(new.entry_id)) then
        return new;
    end if;
    new.entry_id := before;
    return new;
end
$$;
comment on function core.be_given_entry() is
    'For a table with entry_id: an entry that is not of its row is passed over, and one that is stays until it is taken out; its argument is the code of the kind. Fires before the triggers that follow a change.';

-- One statement may take rows out and insert them again: those are left to be filed.
create or replace function core.unfile_deleted() returns trigger
    language plpgsql volatile set search_path = pg_catalog, pg_temp
    as $$
declare
    taken constant bigint[] := array(select entry_id from gone where entry_id is not null);
begin
    if taken = '{}' then
        return null;
    end if;
    perform core.refuse_unentered() from gone g
        where g.entry_id is not null and g.space_id is distinct from core.current_space()
            and exists (select from core.spaces s where s.id = g.space_id);
    perform core.withdraw(taken);
    execute format('update %I.%I set entry_id = null where space_id = core.current_space() and entry_id = any($1)',
        tg_table_schema, tg_table_name) using taken;
    return null;
end
$$;

reset role;
