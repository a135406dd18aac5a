-- What stands follows from the events, whatever SQL does to it: a fact that it deletes, moves to another key, session or
-- person, caps, or has expire at another time has its event, and two who write a new key at once have one each, of what
-- came of it. Without them recall and histories told what stood before, and a rebuild brought it back.

set local role quipu_owner;

-- By number, as a rebuild reads them. The sum keeps the server from walking through the events of all keys for it.
create function ledger.latest_of(scope text, session_id uuid, distinct_id text, namespace text, key text)
    returns ledger.chat_memory_events
    language plpgsql stable
    as $$
#variable_conflict use_column
declare
    latest ledger.chat_memory_events;
begin
    if scope = 'session' then
        select * into latest from ledger.chat_memory_events e
        where e.space_id = core.current_space() and e.memory_scope = 'session' and e.session_id = latest_of.session_id
            and e.memory_namespace = namespace and e.memory_key = key
        order by e.id + 0 desc limit 1;
    else
        select * into latest from ledger.chat_memory_events e
        where e.space_id = core.current_space() and e.memory_scope = 'cross_session'
            and e.distinct_id = latest_of.distinct_id and e.memory_namespace = namespace and e.memory_key = key
        order by e.id + 0 desc limit 1;
    end if;
    return latest;
end
$$;
comment on function ledger.latest_of(text, uuid, text, text, text) is 'The last event of a key.';

-- A value that its program has told of itself, before or after, is told once.
drop function ledger.tell_of(uuid, text, integer, text, text, text, jsonb, text, boolean, text, timestamptz, jsonb, boolean);
create function ledger.tell_of(session_id uuid, distinct_id text, turn integer, scope text, namespace text, key text,
    value jsonb, source text, assumed boolean, cap text, expires timestamptz, before jsonb, assumed_before boolean,
    told bigint)
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
    said := ledger.latest_of(scope, session_id, distinct_id, namespace, key);
    if said.event_type in ('fact_expired', 'fact_deleted') then
        said.value_source := null;
    end if;
    if scope = 'cross_session' and source = 'default' and said.value_source = 'assumed' then
        source := 'assumed';  -- preferences know no other word for it
    end if;
    if said.new_value_json = value and said.assumed = tell_of.assumed and said.value_source = source
        and (said.id is distinct from told
            or (said.confidence_cap, said.expires_at) is not distinct from (cap, expires)) then
        return said.id;
    end if;
    insert into ledger.chat_memory_events (session_id, distinct_id, turn_index, event_type, memory_scope, memory_namespace,
        memory_key, old_value_json, new_value_json, value_source, assumed, confidence_cap, created_at, expires_at)
    values (tell_of.session_id, tell_of.distinct_id, turn,
        case when assumed_before and not tell_of.assumed then 'assumption_corrected'
             when before is not null and not tell_of.assumed and before <> value
                 or ledger.rank(source) < ledger.rank(said.value_source) then 'fact_corrected'
             when tell_of.assumed then 'assumption_set' else 'fact_set' end,
        scope, namespace, key, before, value, source, tell_of.assumed, cap, greatest(now(), said.created_at), expires)
    returning chat_memory_events.id into id;
    return id;
end
$$;

-- Nothing is told where the event of what stood is erased, or says itself when it ended, or where another says so.
create function ledger.tell_end(told bigint, value jsonb, expires timestamptz) returns void
    language plpgsql volatile
    as $$
declare
    here constant integer := core.entered();
    stood ledger.chat_memory_events;
    said ledger.chat_memory_events;
begin
    select * into stood from ledger.chat_memory_events e where e.space_id = here and e.id = told;
    said := ledger.latest_of(stood.memory_scope, stood.session_id, stood.distinct_id, stood.memory_namespace,
        stood.memory_key);
    if said.id is null or said.event_type in ('fact_expired', 'fact_deleted') or stood.expires_at <= now() then
        return;
    end if;
    perform core.leave_unfiled(2, here);
    insert into ledger.chat_memory_events (session_id, distinct_id, turn_index, event_type, memory_scope, memory_namespace,
        memory_key, old_value_json, new_value_json, value_source, assumed, created_at)
    values (stood.session_id, stood.distinct_id, stood.turn_index,
        case when expires <= now() then 'fact_expired' else 'fact_deleted' end, stood.memory_scope,
        stood.memory_namespace, stood.memory_key, value, 'null', stood.value_source, stood.assumed,
        greatest(now(), said.created_at));
end
$$;
comment on function ledger.tell_end(bigint, jsonb, timestamptz) is 'Writes the event of the end of what an event said.';

create function ledger.tell_of_end() returns trigger
    language plpgsql
    as $$
begin
    perform ledger.tell_end(old.source_event_id, old.value_json, old.expires_at);
    return null;
end
$$;

-- An insert is told of when it is done: where it meets a row, it comes to nothing or is an update.
create or replace function ledger.tell_of_value() returns trigger
    language plpgsql
    as $$
declare
    before ledger.chat_session_memory;
    event bigint;
begin
    if lower(tg_op) = 'update' then
        if (old.session_id, old.memory_namespace, old.memory_key)
            is distinct from (new.session_id, new.memory_namespace, new.memory_key) then
            perform ledger.tell_end(old.source_event_id, old.value_json, old.expires_at);
        else
            before := old;
        end if;
    end if;
    event := ledger.tell_of(new.session_id,
        (select coalesce(s.distinct_id, nullif(s.belongs_to, '')) from core.sessions s
         where s.space_id = new.space_id and s.uid = new.session_id),
        new.source_turn_index, 'session', new.memory_namespace, new.memory_key, new.value_json, new.value_source,
        new.assumed, new.confidence_cap, new.expires_at, before.value_json, before.assumed, before.source_event_id);
    if lower(tg_op) = 'insert' then
        update ledger.chat_session_memory set source_event_id = event where space_id = new.space_id and id = new.id;
    end if;
    new.source_event_id := event;
    return new;
end
$$;

create or replace function ledger.tell_of_preference() returns trigger
    language plpgsql
    as $$
declare
    first constant text := split_part(new.preference_key, '.', 1);
    namespace constant text := case
        when new.preference_namespace = 'baseline' then 'baseline'
        when new.preference_namespace <> 'other' then 'preference'
        when first <> new.preference_key and first in ('location', 'preference', 'constraint', 'system') then first
        else 'other' end;
    key constant text := case
        when namespace = 'preference' and not starts_with(new.preference_key, new.preference_namespace || '.')
            then new.preference_namespace || '/' || new.preference_key
        else new.preference_key end;
    before ledger.chat_user_preferences;
    event bigint;
begin
    if lower(tg_op) = 'update' then
        if (old.distinct_id, old.preference_namespace, old.preference_key)
            is distinct from (new.distinct_id, new.preference_namespace, new.preference_key) then
            perform ledger.tell_end(old.source_event_id, old.value_json, old.expires_at);
        else
            before := old;
        end if;
    end if;
    if ledger.preference_place(namespace, key) = array[new.preference_namespace, new.preference_key] then
        event := ledger.tell_of(new.last_session_id, new.distinct_id, 0, 'cross_session', namespace, key, new.value_json,
            new.value_source, new.assumed, new.confidence_cap, new.expires_at, before.value_json, before.assumed,
            before.source_event_id);
    end if;  -- else no event could say so
    if lower(tg_op) = 'insert' and event is not null then
        update ledger.chat_user_preferences set source_event_id = event where space_id = new.space_id and id = new.id;
    end if;
    new.source_event_id := event;
    return new;
end
$$;

drop trigger tell on ledger.chat_session_memory;
create trigger tell after insert on ledger.chat_session_memory
    for each row when (new.source_event_id is null) execute function ledger.tell_of_value();
create or replace trigger tell_again before update on ledger.chat_session_memory
    for each row when (new.source_event_id is null or new.source_event_id = old.source_event_id
        and (new.session_id, new.memory_namespace, new.memory_key, new.value_json, new.value_source,
                new.assumed, new.confidence_cap, new.expires_at)
            is distinct from (old.session_id, old.memory_namespace, old.memory_key, old.value_json,
                old.value_source, old.assumed, old.confidence_cap, old.expires_at))
    execute function ledger.tell_of_value();
create or replace trigger follow after insert on ledger.chat_session_memory
    for each row when (new.id <> new.source_event_id) execute function ledger.follow_value();
-- A rebuild drops what it makes anew, and says so.
create trigger tell_of_end after delete on ledger.chat_session_memory
    for each row when (old.source_event_id is not null and current_setting('quipu.rebuilding', true) is distinct from 'on')
    execute function ledger.tell_of_end();
create trigger not_emptied before truncate on ledger.chat_session_memory
    for each statement execute function core.refuse_statement(
        'Truncating leaves the index as it is: delete the rows, in the space that was entered.');

drop trigger tell on ledger.chat_user_preferences;
create trigger tell after insert on ledger.chat_user_preferences
    for each row when (new.source_event_id is null) execute function ledger.tell_of_preference();
create or replace trigger tell_again before update on ledger.chat_user_preferences
    for each row when (new.source_event_id is null or new.source_event_id = old.source_event_id
        and (new.distinct_id, new.preference_namespace, new.preference_key, new.value_json,
                new.value_source, new.assumed, new.confidence_cap, new.expires_at)
            is distinct from (old.distinct_id, old.preference_namespace, old.preference_key,
                old.value_json, old.value_source, old.assumed, old.confidence_cap,
                old.expires_at))
    execute function ledger.tell_of_preference();
create or replace trigger follow after insert on ledger.chat_user_preferences
    for each row when (new.id <> new.source_event_id) execute function ledger.follow_value();
-- A rebuild drops what it makes anew, and says so.
create trigger tell_of_end after delete on ledger.chat_user_preferences
    for each row when (old.source_event_id is not null and current_setting('quipu.rebuilding', true) is distinct from 'on')
    execute function ledger.tell_of_end();
create trigger not_emptied before truncate on ledger.chat_user_preferences
    for each statement execute function core.refuse_statement(
        'Truncating leaves the index as it is: delete the rows, in the space that was entered.');

create trigger not_emptied before truncate on ledger.chat_recommendation_evidence
    for each statement execute function core.refuse_statement(
        'Truncating leaves the index as it is: delete the rows, in the space that was entered.');

reset role;
