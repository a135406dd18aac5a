-- The lines of a batch are of one session or of a few. A foreign key looked for the session of each line and locked
-- it anew, which was a tenth of the server's work in a sync; so each session is looked for once, and takes its lines
-- along when it goes.

set local role quipu_owner;

alter table transcripts.lines drop constraint lines_space_id_session_id_fkey;

create function transcripts.lines_have_their_session() returns trigger
    language plpgsql
    as $$
declare
    lost bigint;
begin
    with given as (
        select distinct space_id, session_id from added
    ), held as (
        select s.space_id, s.id from core.sessions s
        where (s.space_id, s.id) in (select space_id, session_id from given)
        for key share
    )
    select g.session_id into lost from given g
    where not exists (select from held h where h.space_id = g.space_id and h.id = g.session_id)
    limit 1;
    if found then
        raise foreign_key_violation using
            message = format('transcripts.lines: there is no session %s in the space', lost);
    end if;
    return null;
end
$$;
create trigger lines_have_their_session after insert on transcripts.lines
    referencing new table as added
    for each statement execute function transcripts.lines_have_their_session();

create function transcripts.lines_stay_in_their_session() returns trigger
    language plpgsql
    as $$
begin
    raise foreign_key_violation using message = 'transcripts.lines: a line stays in its session';
end
$$;
create trigger lines_stay_in_their_session after update of space_id, session_id on transcripts.lines
    for each row when (old.space_id <> new.space_id or old.session_id <> new.session_id)
    execute function transcripts.lines_stay_in_their_session();

create function transcripts.lines_go_with_their_session() returns trigger
    language plpgsql
    as $$
begin
    delete from transcripts.lines l using gone where l.space_id = gone.space_id and l.session_id = gone.id;
    return null;
end
$$;
create trigger lines_go after delete on core.sessions
    referencing old table as gone
    for each statement execute function transcripts.lines_go_with_their_session();

reset role;
