-- What SQL writes to long_term_memory is found, too (see core.unfile_row). A change of what a memory says keeps how it
-- read before, as the doors do. The hash of such a row is made right when it is filed.

set local role quipu_owner;

alter table longterm.long_term_memory alter column happened_at set default '-infinity';  -- as it was created

create function longterm.date_memory() returns trigger
    language plpgsql volatile
    as $$
begin
    new.happened_at := new.created_at;
    return new;
end
$$;
create trigger date_memory before insert on longterm.long_term_memory
    for each row when (new.happened_at = '-infinity') execute function longterm.date_memory();

create function longterm.keep_wording() returns trigger
    language plpgsql volatile
    as $$
begin
    insert into longterm.history (space_id, memory_id, version, act, category, importance, summary, details, changed_at,
        changed_by)
    values (old.space_id, old.id, old.version, 'edit', old.category, old.importance, old.summary, old.details, now(),
        'sql');
    new.version := greatest(new.version, old.version + 1);
    new.updated_at := greatest(new.updated_at, now());
    return new;
end
$$;
create trigger keep_wording before update on longterm.long_term_memory
    for each row when (old.entry_id is not distinct from new.entry_id
        and (old.summary, old.details) is distinct from (new.summary, new.details))
    execute function longterm.keep_wording();

create trigger unfile_inserted before insert on longterm.long_term_memory
    for each row when (new.entry_id is null and not new.archived) execute function core.unfile_row('5');
create trigger unfile_updated before update on longterm.long_term_memory
    for each row when (old.entry_id is not distinct from new.entry_id
        and (old.summary, old.details, old.user_name, old.happened_at, old.archived)
            is distinct from (new.summary, new.details, new.user_name, new.happened_at, new.archived))
    execute function core.unfile_row('5');
create trigger unfile_deleted after delete on longterm.long_term_memory
    referencing old table as gone for each statement execute function core.unfile_deleted();

create index long_term_memory_unfiled on longterm.long_term_memory (space_id, id)
    where entry_id is null and not archived;

-- What came by SQL before.
do $$
declare
    known text;
begin
    for known in select name from core.spaces loop
        perform core.enter(known);
        perform core.leave_unfiled(5) where exists (
            select from longterm.long_term_memory
            where space_id = core.current_space() and entry_id is null and not archived);
    end loop;
    perform set_config('quipu.space', '', true), set_config('quipu.space_id', '', true);
end
$$;

reset role;
