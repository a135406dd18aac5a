-- How far the index of recall has followed: a recall after a write then costs what was written, not what stands.

set local role quipu_owner;

create table ledger.filing_marks (
    space_id integer not null default core.current_space() references core.spaces (id) on delete cascade,
    event_id bigint not null default 0,
    evidence_id bigint not null default 0,
    expired_until timestamptz not null default '-infinity',
    primary key (space_id)
);
comment on table ledger.filing_marks is 'The index knows what stood after the event of that number.';
comment on column ledger.filing_marks.expired_until is 'What expired until then is out of the index.';

alter table ledger.filing_marks enable row level security;
alter table ledger.filing_marks force row level security;
create policy own_space on ledger.filing_marks using (space_id = (select core.current_space()));
grant select, insert, update, delete on ledger.filing_marks to quipu_app;

-- What is taken out goes from the index in the same statement, also an excerpt that is taken away or changed.
create or replace function ledger.unfile() returns trigger
    language plpgsql security definer set search_path = ''
    as $$
declare
    here constant integer := core.current_space();
    filed bigint[];
begin
    if lower(tg_op) = 'update' then
        select array_agg(e.id) into filed
        from gone g
        join kept k on k.id = g.id and k.excerpt is distinct from g.excerpt
        join core.recall_entries e on e.space_id = here and e.source_table = tg_table_name and e.source_id = g.id::text;
    else
        select array_agg(e.id) into filed
        from gone g
        join core.recall_entries e on e.space_id = here and e.source_table = tg_table_name and e.source_id = g.id::text;
    end if;
    if filed is null then
        return null;
    end if;
    update core.spaces s set
        entries = s.entries - f.entries, tokens = s.tokens - f.tokens, mixed_tokens = s.mixed_tokens - f.mixed_tokens,
        version = s.version + 1, epoch = s.epoch + 1
    from (
        select count(*) as entries, sum(tokens) as tokens, sum(mixed_tokens::float8) as mixed_tokens
        from core.recall_entries where space_id = here and id = any(filed)
    ) f
    where s.id = here;
    perform core.take_out(filed);
    return null;
end
$$;
create trigger unfile_excerpts after update on ledger.chat_recommendation_evidence
    referencing old table as gone new table as kept for each statement execute function ledger.unfile();

reset role;
