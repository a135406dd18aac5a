-- What SQL writes to the ledger holds no door out of the space and is waited for by no recall: it leaves the index
-- behind (core.leave_unfiled), which moves its marks only when no such transaction is open.

set local role quipu_owner;

create or replace function ledger.follow(event bigint, evidence bigint) returns void
    language plpgsql volatile security definer set search_path = ''
    as $$
declare
    here constant integer := core.entered();
begin
    perform core.leave_unfiled(2, here);
    update ledger.filing_marks m set event_id = least(m.event_id, event - 1), evidence_id = least(m.evidence_id, evidence - 1)
    where m.space_id = here and (m.event_id >= event or m.evidence_id >= evidence);
end
$$;

create or replace function ledger.tell_of(session_id uuid, distinct_id text, turn integer, scope text, namespace text,
    key text, value jsonb, source text, assumed boolean, cap text, expires timestamptz, before jsonb, assumed_before boolean)
    returns bigint
    language plpgsql volatile
    as $$
#variable_conflict use_column
declare
    here constant integer := core.entered();
    said ledger.chat_memory_events;
    id bigint;
begin
    perform core.leave_unfiled(2, here);
    select * into said from ledger.chat_memory_events e
    where e.space_id = here and e.memory_scope = scope and e.memory_namespace = namespace and e.memory_key = key
        and case scope when 'session' then e.session_id = tell_of.session_id else e.distinct_id = tell_of.distinct_id end
    order by e.id desc limit 1;
    if said.new_value_json = value and said.event_type not in ('fact_expired', 'fact_deleted')
        and said.assumed = tell_of.assumed then
        return said.id;
    end if;
    insert into ledger.chat_memory_events (session_id, distinct_id, turn_index, event_type, memory_scope, memory_namespace,
        memory_key, old_value_json, new_value_json, value_source, assumed, confidence_cap, created_at, expires_at)
    values (tell_of.session_id, tell_of.distinct_id, turn,
        case when assumed_before and not tell_of.assumed then 'assumption_corrected'
             when before is not null and not tell_of.assumed then 'fact_corrected'
             when tell_of.assumed then 'assumption_set' else 'fact_set' end,
        scope, namespace, key, before, value, source, tell_of.assumed, cap, greatest(now(), said.created_at), expires)
    returning chat_memory_events.id into id;
    return id;
end
$$;

reset role;
