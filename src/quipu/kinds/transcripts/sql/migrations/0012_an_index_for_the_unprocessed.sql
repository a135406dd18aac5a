-- Whether memories were extracted from a session stands in its row, kept by triggers, so that the sessions that wait
-- for it are found by an index, the one of the text.

set local role quipu_owner;

alter table transcripts.session_details
    add column last_extractor text,
    add column extracted boolean not null default false,
    add column extraction_attempted_at timestamptz,
    add column memories_extracted integer not null generated always as (
        case when extracted or parent_session is not null then 1 else 0 end) stored;
comment on column transcripts.session_details.last_extractor is
    'Who tried last to extract memories: it and the next two columns follow transcripts.extractions, by trigger.';
comment on column transcripts.session_details.memories_extracted is
    'As in the text. Nobody spoke to a subagent but an agent: it waits for no extraction.';

create function transcripts.last_extraction(space integer, session bigint) returns transcripts.extractions
    language sql stable
    return (select x from transcripts.extractions x where x.space_id = space and x.session_id = session
        order by x.attempted_at desc, x.extractor limit 1);

create function transcripts.follow_extraction() returns trigger
    language plpgsql volatile
    as $$
declare
    touched constant transcripts.extractions := case lower(tg_op) when 'delete' then old else new end;
    last constant transcripts.extractions := transcripts.last_extraction(touched.space_id, touched.session_id);
begin
    update transcripts.session_details set last_extractor = last.extractor, extracted = coalesce(last.extracted, false),
        extraction_attempted_at = last.attempted_at
    where space_id = touched.space_id and session_id = touched.session_id;
    return null;
end
$$;
create trigger follow_extraction after insert or update or delete on transcripts.extractions
    for each row execute function transcripts.follow_extraction();

-- A session may have been read before anything else is known of it.
create function transcripts.take_extraction() returns trigger
    language plpgsql volatile
    as $$
declare
    last constant transcripts.extractions := transcripts.last_extraction(new.space_id, new.session_id);
begin
    new.last_extractor := last.extractor;
    new.extracted := coalesce(last.extracted, false);
    new.extraction_attempted_at := last.attempted_at;
    return new;
end
$$;
create trigger take_extraction before insert on transcripts.session_details
    for each row execute function transcripts.take_extraction();

do $$
declare
    known text;
begin
    for known in select name from core.spaces loop
        perform core.enter(known);
        update transcripts.session_details d set last_extractor = x.extractor, extracted = x.extracted,
            extraction_attempted_at = x.attempted_at
        from (select distinct on (session_id) * from transcripts.extractions
              order by session_id, attempted_at desc, extractor) x
        where x.space_id = d.space_id and x.session_id = d.session_id;
    end loop;
    perform set_config('quipu.space', '', true), set_config('quipu.space_id', '', true);
end
$$;

create index idx_sessions_extraction on transcripts.session_details
    (space_id, memories_extracted, extraction_attempted_at);

create or replace view transcripts.sessions with (security_invoker = true) as
select
    s.name as id,
    d.project_path,
    d.git_branch,
    d.cwd,
    coalesce(d.first_line_at, s.started_at) as first_timestamp,
    coalesce(d.last_line_at, s.last_at) as last_timestamp,
    coalesce(d.custom_title, d.ai_title, d.summary, left(d.first_prompt, 200)) as title,
    d.summary,
    d.source,
    d.parent_session,
    d.agent_type,
    d.memories_extracted,
    d.extraction_attempted_at,
    coalesce(x.status, 'none') as extraction_status,
    x.error as extraction_error,
    d.last_extractor as extractor,
    x.version as extractor_version,
    s.space_id,
    s.id as session_number
from transcripts.session_details d
join core.sessions s on s.space_id = d.space_id and s.id = d.session_id
left join transcripts.extractions x
    on x.space_id = d.space_id and x.session_id = d.session_id and x.extractor = d.last_extractor;

reset role;
