-- A session that goes, whoever deletes it, takes the jobs that were put for it: they name it, and have nothing
-- left to be done with.

set local role quipu_owner;

create function core.jobs_go_with_their_session() returns trigger
    language plpgsql
    as $$
begin
    delete from core.outbox o using gone where o.space_id = gone.space_id and o.session = gone.name;
    return null;
end
$$;

create trigger jobs_go after delete on core.sessions
    referencing old table as gone
    for each statement execute function core.jobs_go_with_their_session();

reset role;
