-- A row that SQL writes into another space than the one that was entered is refused by its own table: the policy of
-- core.at_commit came first, and its name says nothing to who wrote the row.

set local role quipu_owner;

create or replace function core.unfile_row() returns trigger
    language plpgsql volatile set search_path = pg_catalog, pg_temp
    as $$
begin
    if new.space_id <> core.entered() or lower(tg_op) = 'update' and old.space_id <> core.entered() then
        raise exception 'the row of %.% is of another space than the one that was entered', tg_table_schema, tg_table_name
            using errcode = 'insufficient_privilege',
                hint = 'Before it, in the same transaction: select core.enter(''NAME of its space'');';
    end if;
    if lower(tg_op) = 'update' then
        perform core.withdraw(array[old.entry_id]);
    end if;
    new.entry_id := null;
    perform core.leave_unfiled(tg_argv[0]::integer, new.space_id);
    return new;
end
$$;

reset role;
