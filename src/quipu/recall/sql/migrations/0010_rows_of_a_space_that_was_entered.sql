-- What the index has of a row is taken out in the space that was entered: an administrator, whom row level security
-- does not bind, could change a row of another and leave its entry behind.

set local role quipu_owner;

create or replace function core.unfile_row() returns trigger
    language plpgsql volatile set search_path = pg_catalog, pg_temp
    as $$
begin
    if lower(tg_op) = 'update' then
        if old.space_id <> core.entered() then
            perform core.refuse_unentered();
        end if;
        perform core.withdraw(array[old.entry_id]);
    end if;
    new.entry_id := null;
    perform core.leave_unfiled(tg_argv[0]::integer, new.space_id);
    return new;
end
$$;

-- A space that goes takes its rows and entries along, whoever is there.
create or replace function core.unfile_deleted() returns trigger
    language plpgsql volatile set search_path = pg_catalog, pg_temp
    as $$
begin
    perform core.refuse_unentered() from gone g
        where g.entry_id is not null and g.space_id is distinct from core.current_space()
            and exists (select from core.spaces s where s.id = g.space_id);
    perform core.withdraw(array_agg(entry_id)) from gone where entry_id is not null having count(*) > 0;
    return null;
end
$$;

reset role;
