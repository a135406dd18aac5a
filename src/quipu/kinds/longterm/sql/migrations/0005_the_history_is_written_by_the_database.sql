-- Whoever changes a memory, its history says so: archiving and bringing back by SQL left no line, and a change of the
-- category or importance neither. The database writes each line; a door says then who it was and why.

set local role quipu_owner;

create or replace function longterm.keep_wording() returns trigger
    language plpgsql volatile
    as $$
begin
    insert into longterm.history (space_id, memory_id, version, act, category, importance, summary, details, changed_at,
        changed_by)
    values (old.space_id, old.id, old.version, case when new.archived and not old.archived then 'archive'
            when old.archived and not new.archived then 'revive' else 'edit' end,
        old.category, old.importance, old.summary, old.details, now(), 'sql');
    if new.version = old.version and (old.summary, old.details, old.category, old.importance)
        is distinct from (new.summary, new.details, new.category, new.importance) then
        new.version := old.version + 1;
        new.updated_at := greatest(new.updated_at, now());
    end if;
    return new;
end
$$;
drop trigger keep_wording on longterm.long_term_memory;
create trigger keep_wording before update on longterm.long_term_memory
    for each row when ((old.summary, old.details, old.category, old.importance, old.archived, old.version)
        is distinct from (new.summary, new.details, new.category, new.importance, new.archived, new.version))
    execute function longterm.keep_wording();

reset role;
