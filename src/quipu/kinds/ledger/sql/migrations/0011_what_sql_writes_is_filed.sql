-- What is written by SQL is a fact like any other: it has its event, and the next recall files it.

set local role quipu_owner;

-- Nobody lets the index follow meanwhile: who does holds the space alone. Behind a mark it would not look again.
create function ledger.follow(event bigint, evidence bigint) returns void
    language plpgsql volatile security definer set search_path = ''
    as $$
declare
    here constant integer := core.current_space();
begin
    perform pg_catalog.pg_advisory_xact_lock_shared(
        pg_catalog.hashtextextended(pg_catalog.current_setting('quipu.space'), 7310522003));
    update ledger.filing_marks m set event_id = least(m.event_id, event - 1), evidence_id = least(m.evidence_id, evidence - 1)
    where m.space_id = here and (m.event_id >= event or m.evidence_id >= evidence);
    update core.spaces s set unfiled = s.unfiled | 2 where s.id = here and s.unfiled & 2 = 0;
end
$$;
comment on function ledger.follow(bigint, bigint) is
    'Has the next recall look at an event or a piece of evidence, and at all that came after it; null: at none.';

create function ledger.follow_value() returns trigger
    language plpgsql
    as $$
begin
    perform ledger.follow(new.source_event_id, null);
    return null;
end
$$;
create function ledger.follow_excerpt() returns trigger
    language plpgsql
    as $$
begin
    perform ledger.follow(null, new.id);
    return null;
end
$$;
create function ledger.follow_all() returns trigger
    language plpgsql security definer set search_path = ''
    as $$
begin
    delete from ledger.filing_marks where space_id = core.current_space();
    perform ledger.follow(null, null);
    return null;
end
$$;

-- Whoever writes into the tables of what stands, and names no event that says so, has one written: what stands
-- follows from the events alone.
create function ledger.tell_of(session_id uuid, distinct_id text, turn integer, scope text, namespace text, key text,
    value jsonb, source text, assumed boolean, cap text, expires timestamptz, before jsonb, assumed_before boolean)
    returns bigint
    language plpgsql volatile
    as $$
#variable_conflict use_column
declare
    here constant integer := core.current_space();
    said ledger.chat_memory_events;
    id bigint;
begin
    perform pg_advisory_xact_lock_shared(hashtextextended(current_setting('quipu.space'), 7310522003));
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

create function ledger.tell_of_value() returns trigger
    language plpgsql
    as $$
declare
    before ledger.chat_session_memory;
begin
    if lower(tg_op) = 'update' then
        before := old;
    end if;
    new.source_event_id := ledger.tell_of(new.session_id,
        (select coalesce(s.distinct_id, nullif(s.belongs_to, '')) from core.sessions s
         where s.space_id = new.space_id and s.uid = new.session_id),
        new.source_turn_index, 'session', new.memory_namespace, new.memory_key, new.value_json, new.value_source,
        new.assumed, new.confidence_cap, new.expires_at, before.value_json, before.assumed);
    return new;
end
$$;

create function ledger.tell_of_preference() returns trigger
    language plpgsql
    as $$
declare
    first constant text := split_part(new.preference_key, '.', 1);
    namespace constant text := case
        when new.preference_namespace = 'baseline' then 'baseline'
        when new.preference_namespace <> 'other' then 'preference'
        when first <> new.preference_key and first in ('location', 'preference', 'constraint', 'system') then first
        else 'other' end;
    before ledger.chat_user_preferences;
begin
    if ledger.preference_place(namespace, new.preference_key)
        <> array[new.preference_namespace, new.preference_key] then
        return new;  -- no event could say so
    end if;
    if lower(tg_op) = 'update' then
        before := old;
    end if;
    new.source_event_id := ledger.tell_of(new.last_session_id, new.distinct_id, 0, 'cross_session', namespace,
        new.preference_key, new.value_json, new.value_source, new.assumed, new.confidence_cap, new.expires_at,
        before.value_json, before.assumed);
    return new;
end
$$;

-- Triggers fire in the order of their names: an assumption is marked before it is told.
create trigger tell before insert on ledger.chat_session_memory
    for each row when (new.source_event_id is null) execute function ledger.tell_of_value();
create trigger tell_again before update on ledger.chat_session_memory
    for each row when (new.source_event_id is null or new.source_event_id = old.source_event_id
        and (new.value_json, new.value_source) is distinct from (old.value_json, old.value_source))
    execute function ledger.tell_of_value();
create trigger tell before insert on ledger.chat_user_preferences
    for each row when (new.source_event_id is null) execute function ledger.tell_of_preference();
create trigger tell_again before update on ledger.chat_user_preferences
    for each row when (new.source_event_id is null or new.source_event_id = old.source_event_id
        and (new.value_json, new.value_source) is distinct from (old.value_json, old.value_source))
    execute function ledger.tell_of_preference();

-- ledger.append gives a new row the number of its event, and marks the space itself.
create trigger follow after insert on ledger.chat_session_memory
    for each row when (new.id is distinct from new.source_event_id) execute function ledger.follow_value();
create trigger follow_again after update on ledger.chat_session_memory
    for each row when (new.source_event_id is distinct from old.source_event_id) execute function ledger.follow_value();
create trigger follow after insert on ledger.chat_user_preferences
    for each row when (new.id is distinct from new.source_event_id) execute function ledger.follow_value();
create trigger follow_again after update on ledger.chat_user_preferences
    for each row when (new.source_event_id is distinct from old.source_event_id) execute function ledger.follow_value();
create trigger follow_purge after delete on ledger.chat_session_memory
    for each row when (old.expires_at <= now()) execute function ledger.follow_all();
create trigger follow_purge after delete on ledger.chat_user_preferences
    for each row when (old.expires_at <= now()) execute function ledger.follow_all();
create trigger follow after insert on ledger.chat_recommendation_evidence
    for each row when (new.excerpt is not null) execute function ledger.follow_excerpt();
create trigger follow_again after update on ledger.chat_recommendation_evidence
    for each row when (new.excerpt is distinct from old.excerpt) execute function ledger.follow_excerpt();

reset role;
