-- A later extraction that fails takes nothing back: a session from which memories were extracted stays extracted, until
-- it lost messages or somebody says otherwise. Nobody spoke to a subagent but an agent: it waits for no extraction.

set local role quipu_owner;

alter table transcripts.extractions add column extracted boolean not null
    default false;
comment on column transcripts.extractions.extracted is 'It was read to the end once; status says how the last attempt went.';

create function transcripts.note_extracted() returns trigger
    language plpgsql volatile
    as $$
begin
    new.extracted := case new.status
        when 'none' then false
        when 'failed' then lower(tg_op) = 'update' and old.extracted
        else true end;
    return new;
end
$$;
create trigger note_extracted before insert or update of status on transcripts.extractions
    for each row execute function transcripts.note_extracted();

do $$
declare
    known text;
begin
    for known in select name from core.spaces loop
        perform core.enter(known);
        update transcripts.extractions set extracted = status in ('done', 'partial') or (status = 'failed' and memories > 0);
    end loop;
    perform set_config('quipu.space', '', true), set_config('quipu.space_id', '', true);
end
$$;

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
    case when x.extracted or d.parent_session is not null then 1 else 0 end as memories_extracted,
    x.attempted_at as extraction_attempted_at,
    coalesce(x.status, 'none') as extraction_status,
    x.error as extraction_error,
    x.extractor,
    x.version as extractor_version,
    s.space_id,
    s.id as session_number
from transcripts.session_details d
join core.sessions s on s.space_id = d.space_id and s.id = d.session_id
left join lateral (
    select * from transcripts.extractions x
    where x.space_id = d.space_id and x.session_id = d.session_id
    order by x.attempted_at desc, x.extractor limit 1
) x on true;

reset role;
