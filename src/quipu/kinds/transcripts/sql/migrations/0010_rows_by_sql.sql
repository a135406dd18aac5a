-- What SQL writes to memories is found, too (see core.unfile_row). A memory is of the project of its session, and a
-- change of what it says keeps how it read before and is a person's: extraction leaves it alone, as if made at a door.

set local role quipu_owner;

alter table transcripts.memories alter column happened_at set default '-infinity';  -- as it was created

create function transcripts.place_memory() returns trigger
    language plpgsql volatile
    as $$
begin
    new.happened_at := coalesce(new.created_at, now());
    new.project_path := coalesce(nullif(new.project_path, ''), (
        select d.project_path from core.sessions s
        join transcripts.session_details d on d.space_id = s.space_id and d.session_id = s.id
        where s.space_id = new.space_id and s.name = new.session_id), '');
    return new;
end
$$;
create trigger place_memory before insert on transcripts.memories
    for each row when (new.happened_at = '-infinity') execute function transcripts.place_memory();

create function transcripts.keep_edit() returns trigger
    language plpgsql volatile
    as $$
begin
    insert into transcripts.memory_edits (space_id, memory_id, fact, category)
    values (old.space_id, old.id, old.fact, old.category);
    new.normal_form := null;
    new.edited_at := now();
    return new;
end
$$;
create trigger keep_edit before update on transcripts.memories
    for each row when (old.entry_id is not distinct from new.entry_id and old.fact <> new.fact)
    execute function transcripts.keep_edit();

create trigger unfile_inserted before insert on transcripts.memories
    for each row when (new.entry_id is null and new.status = 'active') execute function core.unfile_row('3');
create trigger unfile_updated before update on transcripts.memories
    for each row when (old.entry_id is not distinct from new.entry_id
        and (old.fact, old.status) is distinct from (new.fact, new.status))
    execute function core.unfile_row('3');
create trigger unfile_deleted after delete on transcripts.memories
    referencing old table as gone for each statement execute function core.unfile_deleted();

create index memories_unfiled on transcripts.memories (space_id, id) where entry_id is null and status = 'active';

-- What came by SQL before.
do $$
declare
    known text;
begin
    for known in select name from core.spaces loop
        perform core.enter(known);
        perform core.leave_unfiled(3) where exists (
            select from transcripts.memories
            where space_id = core.current_space() and entry_id is null and status = 'active');
    end loop;
    perform set_config('quipu.space', '', true), set_config('quipu.space_id', '', true);
end
$$;

reset role;
