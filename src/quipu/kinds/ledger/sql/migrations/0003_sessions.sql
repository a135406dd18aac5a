-- The record of what was said under the names of "Memory + Review Evidence DB Schema (v1.1)", so that its
-- SQL runs: sessions can be written and deleted through their view, and a deleted one is gone everywhere.

set local role quipu_owner;

create view ledger.chat_sessions with (security_invoker = true) as
select s.uid as id,
       coalesce(d.started_at, s.started_at, s.created_at) as started_at,
       d.ended_at,
       coalesce(d.status, 'active') as status,
       coalesce(d.card_type, 'none') as card_type,
       coalesce(d.location_count, 0::smallint) as location_count,
       coalesce(d.model, 'unknown') as model,
       coalesce(d.prompt_version, 'unknown') as prompt_version,
       coalesce(d.rule_version, 'unknown') as rule_version,
       s.distinct_id,
       d.trace_id,
       d.first_insight_latency_ms,
       coalesce(d.had_fallback, false) as had_fallback,
       coalesce(d.meta, '{}'::jsonb) as meta,
       s.name
from core.sessions s
left join ledger.session_details d on d.space_id = s.space_id and d.session_id = s.uid;
comment on view ledger.chat_sessions is 'Every session of the record, with what the ledger knows of it; name is the id that the caller gave.';

create view ledger.chat_messages with (security_invoker = true) as
select m.id,
       s.uid as session_id,
       (m.id & 16777215)::integer as message_index,
       (count(*) filter (where m.role = 'user') over (partition by s.uid order by m.id))::integer as turn_index,
       m.role,
       m.content as content_text,
       null::jsonb as content_json,
       m.redacted > 0 as pii_redacted,
       null::integer as input_tokens,
       null::integer as output_tokens,
       null::integer as latency_ms,
       m.recorded_at as created_at
from core.messages m
join core.sessions s on s.space_id = m.space_id and s.id = m.session_id;
comment on view ledger.chat_messages is 'What was said in sessions; a turn begins with a message of the user.';

create view ledger.chat_tool_calls with (security_invoker = true) as
select c.id, s.uid as session_id, c.message_id, c.turn_index, c.tool_name, c.source_name, c.args_json, c.result_json,
       c.status, c.latency_ms, c.cache_hit, c.source_freshness_seconds, c.error_code, c.created_at
from core.tool_calls c
join core.sessions s on s.space_id = c.space_id and s.id = c.session_id
where c.source_name in ('geocode', 'weather', 'events', 'closures', 'doe', 'reviews', 'memory');
comment on view ledger.chat_tool_calls is 'The tools that asked one of the sources that the ledger knows.';

grant select, insert, update, delete on ledger.chat_sessions to quipu_app;
grant select on ledger.chat_messages, ledger.chat_tool_calls to quipu_app;

create function ledger.write_session() returns trigger
    language plpgsql
    as $$
declare
    -- What the view shows as the start may be the time of the first message, which is not to be told again.
    told constant timestamptz := case when lower(tg_op) = 'insert' or new.started_at is distinct from old.started_at
        then new.started_at end;
begin
    if lower(tg_op) = 'update' and (new.id is distinct from old.id or new.name is distinct from old.name) then
        raise invalid_parameter_value using message = 'the id and the name of a session cannot be changed';
    end if;
    if lower(tg_op) = 'insert' then
        new.name := coalesce(new.name, new.id::text, gen_random_uuid()::text);
        insert into core.sessions (space_id, name, distinct_id)
        values (core.current_space(), new.name, new.distinct_id)
        returning uid into new.id;
    elsif new.distinct_id is distinct from old.distinct_id then
        update core.sessions set distinct_id = new.distinct_id
        where space_id = core.current_space() and uid = new.id;
    end if;
    new.status := coalesce(new.status, 'active');
    new.card_type := coalesce(new.card_type, 'none');
    new.location_count := coalesce(new.location_count, 0);
    new.model := coalesce(new.model, 'unknown');
    new.prompt_version := coalesce(new.prompt_version, 'unknown');
    new.rule_version := coalesce(new.rule_version, 'unknown');
    new.had_fallback := coalesce(new.had_fallback, false);
    new.meta := coalesce(new.meta, '{}'::jsonb);
    insert into ledger.session_details as d (session_id, started_at, ended_at, status, card_type, location_count, model,
        prompt_version, rule_version, trace_id, first_insight_latency_ms, had_fallback, meta)
    values (new.id, told, new.ended_at, new.status, new.card_type, new.location_count, new.model,
        new.prompt_version, new.rule_version, new.trace_id, new.first_insight_latency_ms, new.had_fallback, new.meta)
    on conflict (space_id, session_id) do update set
        started_at = coalesce(excluded.started_at, d.started_at),
        ended_at = excluded.ended_at, status = excluded.status, card_type = excluded.card_type,
        location_count = excluded.location_count, model = excluded.model, prompt_version = excluded.prompt_version,
        rule_version = excluded.rule_version, trace_id = excluded.trace_id,
        first_insight_latency_ms = excluded.first_insight_latency_ms, had_fallback = excluded.had_fallback,
        meta = excluded.meta;
    return new;
end
$$;
create trigger write_session instead of insert or update on ledger.chat_sessions
    for each row execute function ledger.write_session();

create function ledger.erase_sessions(gone uuid[]) returns void
    language plpgsql volatile
    as $$
declare
    here constant integer := core.current_space();
begin
    perform ledger.erase_events_of_sessions(gone);
    delete from ledger.chat_session_memory where space_id = here and session_id = any(gone);
    update ledger.chat_user_preferences set last_session_id = null
    where space_id = here and last_session_id = any(gone);
    delete from ledger.chat_recommendation_evidence where space_id = here and session_id = any(gone);
    delete from ledger.chat_recommendations where space_id = here and session_id = any(gone);
    delete from ledger.chat_competitor_checks where space_id = here and session_id = any(gone);
    delete from ledger.chat_review_signal_runs where space_id = here and session_id = any(gone);
    delete from ledger.chat_fallbacks where space_id = here and session_id = any(gone);
    delete from core.tool_calls
    where space_id = here
        and session_id in (select id from core.sessions where space_id = here and uid = any(gone));
    delete from ledger.session_details where space_id = here and session_id = any(gone);
end
$$;
comment on function ledger.erase_sessions(uuid[]) is
    'Erases all that the ledger knows of sessions of the space that was entered; what was said in them stays.';

create function ledger.delete_session() returns trigger
    language plpgsql
    as $$
declare
    here constant integer := core.current_space();
    thread constant bigint := (select id from core.sessions where space_id = here and uid = old.id);
    said bigint[];
begin
    -- Nobody writes to the space meanwhile, as in every erasure.
    perform pg_advisory_xact_lock(hashtextextended(current_setting('quipu.space'), 7310522003));
    perform ledger.erase_sessions(array[old.id]);
    with removed as (
        delete from core.messages
        where space_id = here and id between thread << 24 and (thread << 24) + 16777215
        returning id
    )
    select array_agg(id) into said from removed;
    delete from core.sessions where space_id = here and id = thread;
    if said is not null then
        perform core.take_out(said), core.recount_space();
    end if;
    return old;
end
$$;
create trigger delete_session instead of delete on ledger.chat_sessions
    for each row execute function ledger.delete_session();

reset role;
