-- What a line called, brought and cost is of it. Three foreign keys looked for that line row by row, which was an
-- eighth of the server's work in a sync; now the rows of a statement look for their lines together, hold them until
-- the end of the transaction, and go with them.

set local role quipu_owner;

create function transcripts.have_their_line() returns trigger
    language plpgsql
    as $$
declare
    lost bigint;
begin
    select a.line_id into lost from added a
    where not exists (
        select from transcripts.lines l where l.space_id = a.space_id and l.id = a.line_id for key share
    )
    limit 1;
    if found then
        raise foreign_key_violation using
            message = format('transcripts.%s: there is no line %s in the space', tg_table_name, lost);
    end if;
    return null;
end
$$;

create function transcripts.stay_with_their_line() returns trigger
    language plpgsql
    as $$
begin
    raise foreign_key_violation using
        message = format('transcripts.%s: what is of a line stays with it', tg_table_name);
end
$$;

create function transcripts.go_with_their_line() returns trigger
    language plpgsql
    as $$
begin
    if exists (select from gone) then
        delete from transcripts.responses r using gone where r.space_id = gone.space_id and r.line_id = gone.id;
        delete from transcripts.tool_calls c using gone where c.space_id = gone.space_id and c.line_id = gone.id;
        delete from transcripts.tool_results r using gone where r.space_id = gone.space_id and r.line_id = gone.id;
    end if;
    return null;
end
$$;
create trigger go_with_their_line after delete on transcripts.lines
    referencing old table as gone
    for each statement execute function transcripts.go_with_their_line();

do $$
declare
    child text;
begin
    foreach child in array array['responses', 'tool_calls', 'tool_results'] loop
        execute format('alter table transcripts.%1$I drop constraint %1$s_space_id_line_id_fkey', child);
        execute format('create trigger have_their_line after insert on transcripts.%I'
            ' referencing new table as added for each statement execute function transcripts.have_their_line()', child);
        execute format('create trigger stay_with_their_line after update of space_id, line_id on transcripts.%I'
            ' for each row when (old.space_id <> new.space_id or old.line_id <> new.line_id)'
            ' execute function transcripts.stay_with_their_line()', child);
    end loop;
end
$$;

reset role;
