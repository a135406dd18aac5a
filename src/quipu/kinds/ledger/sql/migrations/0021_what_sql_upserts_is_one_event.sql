-- What SQL upserts is one event with what stood before; a preference that has its namespace beside its key has events;
-- and no JSON is kept that a program could not read.

set local role quipu_owner;

-- Where a row is there already, the insert comes to nothing or becomes an update, which tells of itself.
create or replace function ledger.tell_of_value() returns trigger
    language plpgsql
    as $$
declare
    before ledger.chat_session_memory;
begin
    if lower(tg_op) = 'update' then
        before := old;
    elsif exists (
            select from ledger.chat_session_memory m
            where m.space_id = new.space_id and m.session_id = new.session_id
                and m.memory_namespace = new.memory_namespace and m.memory_key = new.memory_key) then
        return new;
    end if;
    new.source_event_id := ledger.tell_of(new.session_id,
        (select coalesce(s.distinct_id, nullif(s.belongs_to, '')) from core.sessions s
         where s.space_id = new.space_id and s.uid = new.session_id),
        new.source_turn_index, 'session', new.memory_namespace, new.memory_key, new.value_json, new.value_source,
        new.assumed, new.confidence_cap, new.expires_at, before.value_json, before.assumed);
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
begin
    if ledger.preference_place(namespace, key) <> array[new.preference_namespace, new.preference_key] then
        return new;  -- no event could say so
    end if;
    if lower(tg_op) = 'update' then
        before := old;
    elsif exists (
            select from ledger.chat_user_preferences p
            where p.space_id = new.space_id and p.distinct_id = new.distinct_id
                and p.preference_namespace = new.preference_namespace and p.preference_key = new.preference_key) then
        return new;
    end if;
    new.source_event_id := ledger.tell_of(new.last_session_id, new.distinct_id, 0, 'cross_session', namespace,
        key, new.value_json, new.value_source, new.assumed, new.confidence_cap, new.expires_at,
        before.value_json, before.assumed);
    return new;
end
$$;

create or replace function ledger.preference_place(memory_namespace text, memory_key text) returns text[]
    language sql immutable parallel safe
    return case
        when memory_namespace = 'baseline' then array['baseline', memory_key]
        when memory_namespace = 'preference' and memory_key like 'ui.%' then array['ui', memory_key]
        when memory_namespace = 'preference' and memory_key like 'workflow.%' then array['workflow', memory_key]
        when memory_namespace = 'preference' and memory_key like 'ui/_%' then array['ui', substr(memory_key, 4)]
        when memory_namespace = 'preference' and memory_key like 'workflow/_%' then array['workflow', substr(memory_key, 10)]
        when memory_namespace = 'other' or starts_with(memory_key, memory_namespace || '.') then array['other', memory_key]
        else array['other', memory_namespace || '.' || memory_key] end;

-- Ranks alike are told apart: what was inferred and is said now has its event, though the value is no other.
create or replace function ledger.tell_of(session_id uuid, distinct_id text, turn integer, scope text, namespace text,
    key text, value jsonb, source text, assumed boolean, cap text, expires timestamptz, before jsonb,
    assumed_before boolean)
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
        and said.assumed = tell_of.assumed
        and (said.value_source = source or said.value_source = 'assumed' and source = 'default') then
        return said.id;
    end if;
    insert into ledger.chat_memory_events (session_id, distinct_id, turn_index, event_type, memory_scope, memory_namespace,
        memory_key, old_value_json, new_value_json, value_source, assumed, confidence_cap, created_at, expires_at)
    values (tell_of.session_id, tell_of.distinct_id, turn,
        case when assumed_before and not tell_of.assumed then 'assumption_corrected'
             when before is not null and not tell_of.assumed and before <> value then 'fact_corrected'
             when tell_of.assumed then 'assumption_set' else 'fact_set' end,
        scope, namespace, key, before, value, source, tell_of.assumed, cap, greatest(now(), said.created_at), expires)
    returning chat_memory_events.id into id;
    return id;
end
$$;

-- An assumption ends with its source: SQL that says so may not know the flag, which it did not set either.
create function ledger.unmark_assumption() returns trigger
    language plpgsql
    as $$
begin
    new.assumed := false;
    if new.confidence_cap = old.confidence_cap then
        new.confidence_cap := 'none';
    end if;
    return new;
end
$$;
comment on function ledger.unmark_assumption() is 'Where something is said in the place of an assumption, it is none.';
-- Triggers fire in the order of their names: it is told after that.
create trigger mark_no_assumption before update on ledger.chat_session_memory
    for each row when (new.assumed and old.value_source in ('assumed', 'default')
        and new.value_source in ('explicit', 'inferred'))
    execute function ledger.unmark_assumption();
create trigger mark_no_assumption before update on ledger.chat_user_preferences
    for each row when (new.assumed and old.value_source = 'default' and new.value_source in ('explicit', 'inferred'))
    execute function ledger.unmark_assumption();

-- Python reads numbers of 4,300 digits, and no JSON of some thousand levels.
alter table ledger.chat_memory_events add constraint numbers_are_readable check (
    not new_value_json @? 'strict $.** ? (@ >= 1e4300 || @ <= -1e4300)'
    and not old_value_json @? 'strict $.** ? (@ >= 1e4300 || @ <= -1e4300)') not valid;
alter table ledger.chat_session_memory add constraint numbers_are_readable check (
    not value_json @? 'strict $.** ? (@ >= 1e4300 || @ <= -1e4300)') not valid;
alter table ledger.chat_user_preferences add constraint numbers_are_readable check (
    not value_json @? 'strict $.** ? (@ >= 1e4300 || @ <= -1e4300)') not valid;
alter table ledger.shapes add constraint numbers_are_readable check (
    not shape @? 'strict $.** ? (@ >= 1e4300 || @ <= -1e4300)') not valid;
alter table ledger.chat_recommendations add constraint values_are_readable check (
    not explanation_json @? 'strict $.**{33}' and not meta @? 'strict $.**{33}'
    and not explanation_json @? 'strict $.** ? (@ >= 1e4300 || @ <= -1e4300)'
    and not meta @? 'strict $.** ? (@ >= 1e4300 || @ <= -1e4300)') not valid;
alter table ledger.chat_recommendation_evidence add constraint values_are_readable check (
    not meta @? 'strict $.**{33}' and not meta @? 'strict $.** ? (@ >= 1e4300 || @ <= -1e4300)') not valid;
alter table ledger.chat_review_signal_runs add constraint values_are_readable check (
    not signal_scores_json @? 'strict $.**{33}'
    and not signal_scores_json @? 'strict $.** ? (@ >= 1e4300 || @ <= -1e4300)') not valid;
alter table ledger.session_details add constraint values_are_readable check (
    not meta @? 'strict $.**{33}' and not meta @? 'strict $.** ? (@ >= 1e4300 || @ <= -1e4300)') not valid;

-- What has no event yet gets it now.
do $$
declare
    known text;
begin
    for known in select name from core.spaces loop
        perform core.enter(known);
        update ledger.chat_user_preferences set source_event_id = null where source_event_id is null;
    end loop;
    perform set_config('quipu.space', '', true), set_config('quipu.space_id', '', true);
end
$$;

reset role;
