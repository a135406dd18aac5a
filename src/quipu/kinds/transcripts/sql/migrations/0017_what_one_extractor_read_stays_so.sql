-- A session from which one extractor took memories stays extracted when another one fails at it; and one that was
-- read only in part, for the extractor broke off, is not extracted by that.

set local role quipu_owner;

create or replace function transcripts.note_extracted() returns trigger
    language plpgsql volatile
    as $$
begin
    new.extracted := case
        when new.status = 'none' then false
        when new.status = 'failed' or new.error is not null then lower(tg_op) = 'update' and old.extracted
        else true end;
    return new;
end
$$;

create function transcripts.is_extracted(space integer, session bigint) returns boolean
    language sql stable
    return exists (select from transcripts.extractions x
        where x.space_id = space and x.session_id = session and x.extracted);

create or replace function transcripts.follow_extraction() returns trigger
    language plpgsql volatile
    as $$
declare
    touched constant transcripts.extractions := case lower(tg_op) when 'delete' then old else new end;
    last constant transcripts.extractions := transcripts.last_extraction(touched.space_id, touched.session_id);
begin
    update transcripts.session_details set last_extractor = last.extractor,
        extracted = transcripts.is_extracted(touched.space_id, touched.session_id),
        extraction_attempted_at = last.attempted_at
    where space_id = touched.space_id and session_id = touched.session_id;
    return null;
end
$$;

create or replace function transcripts.take_extraction() returns trigger
    language plpgsql volatile
    as $$
declare
    last constant transcripts.extractions := transcripts.last_extraction(new.space_id, new.session_id);
begin
    new.last_extractor := last.extractor;
    new.extracted := transcripts.is_extracted(new.space_id, new.session_id);
    new.extraction_attempted_at := last.attempted_at;
    return new;
end
$$;

comment on column transcripts.session_details.last_extractor is
    'Who tried last to extract memories, and when, follows transcripts.extractions, by trigger; so does extracted.';
comment on column transcripts.session_details.extracted is 'Some extractor has read the session to its end.';

do $$
declare
    known text;
begin
    for known in select name from core.spaces loop
        perform core.enter(known);
        update transcripts.session_details d set extracted = true
        where not d.extracted and transcripts.is_extracted(d.space_id, d.session_id);
    end loop;
    perform set_config('quipu.space', '', true), set_config('quipu.space_id', '', true);
end
$$;

reset role;
