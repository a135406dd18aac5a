-- Before an update that a trigger may change, PostgreSQL takes every generated column for changed: uid is one, and a key,
-- so that a session could not grow while an open transaction had written something that refers to it.

set local role quipu_owner;

drop trigger whose_on_update on core.sessions;

create or replace function core.note_owner_of_session() returns trigger
    language plpgsql
    as $$
begin
    new.belongs_to := core.joined_person(new.belongs_to, new.distinct_id);
    return new;
end
$$;

create function core.note_new_owner_of_session() returns trigger
    language plpgsql
    as $$
begin
    update core.sessions s set belongs_to = case
        when new.distinct_id is not null then core.joined_person(s.belongs_to, new.distinct_id)
        when s.belongs_to = old.distinct_id then ''
        else s.belongs_to end
    where s.space_id = new.space_id and s.id = new.id;
    return null;
end
$$;
create trigger whose_on_update after update of distinct_id on core.sessions
    for each row when (new.distinct_id is distinct from old.distinct_id) execute function core.note_new_owner_of_session();

reset role;
