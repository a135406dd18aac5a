-- Whether memories were extracted from a session, as somebody says by SQL, is said of every extractor: after one had
-- failed, the mark was taken for its own, and the next one read the session again.

set local role quipu_owner;

create or replace function transcripts.mark_session() returns trigger
    language plpgsql volatile
    as $$
declare
    said constant text := case when new.memories_extracted = 1 then 'done' else 'none' end;
    at constant timestamptz := coalesce(new.extraction_attempted_at, now());
begin
    insert into transcripts.extractions (space_id, session_id, extractor, version, status, attempted_at)
    values (old.space_id, old.session_number, 'manual', 1, said, at)
    on conflict do nothing;
    update transcripts.extractions set status = said, attempted_at = at, error = null
    where space_id = old.space_id and session_id = old.session_number;
    return new;
end
$$;

reset role;
