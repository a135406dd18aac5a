-- A write through the library costs what it must: it fires no trigger that is there for SQL, and no check calls a
-- function, which would be planned anew with every row.

set local role quipu_owner;

-- What is 33 deep takes 264 bytes at least, so that for most values nothing is looked at.
alter table ledger.chat_memory_events drop constraint values_are_readable, add constraint values_are_readable check (
    (pg_column_size(new_value_json) < 264 or not new_value_json @? 'strict $.**{33}')
    and (pg_column_size(old_value_json) < 264 or not old_value_json @? 'strict $.**{33}')) not valid;
alter table ledger.chat_session_memory drop constraint values_are_readable, add constraint values_are_readable check (
    pg_column_size(value_json) < 264 or not value_json @? 'strict $.**{33}') not valid;
alter table ledger.chat_user_preferences drop constraint values_are_readable, add constraint values_are_readable check (
    pg_column_size(value_json) < 264 or not value_json @? 'strict $.**{33}') not valid;
alter table ledger.shapes drop constraint values_are_readable, add constraint values_are_readable check (
    pg_column_size(shape) < 264 or not shape @? 'strict $.**{33}') not valid;
drop function ledger.is_readable(jsonb);

-- ledger.append names the event that it has just written, and marks the space itself.
create or replace trigger follow_again after update on ledger.chat_session_memory
    for each row when (new.source_event_id is distinct from old.source_event_id
        and new.source_event_id::text is distinct from current_setting('quipu.appended', true))
    execute function ledger.follow_value();
create or replace trigger follow_again after update on ledger.chat_user_preferences
    for each row when (new.source_event_id is distinct from old.source_event_id
        and new.source_event_id::text is distinct from current_setting('quipu.appended', true))
    execute function ledger.follow_value();

create or replace function ledger.append(
    space text, act text, scope text, session text, person text, namespace text, key text, value jsonb, source text,
    assumption boolean, cap text, turn integer, at timestamptz, expires timestamptz, renewal interval, correlation text,
    who text, why text, latest_known bigint, shapes_known bigint default null
) returns ledger.appended
    language plpgsql volatile
    as $$
#variable_conflict use_column
declare
    here integer;
    thread core.sessions;
    whose text;  -- of the session; empty where several take part
    latest ledger.chat_memory_events;
    standing ledger.chat_memory_events;
    live boolean;
    place text[];
    done ledger.appended;
begin
    perform pg_advisory_xact_lock_shared(hashtextextended(space, 7310522003));
    here := (core.enter(space)).id;
    if shapes_known <> coalesce(
            (select s.version from ledger.shapes s where s.space_id = here order by s.version desc limit 1), 0) then
        done.problem := 'shapes';
        return done;
    end if;
    if here is null then
        if session is not null then
            done.problem := 'session';
            return done;
        elsif act not in ('set', 'assume') then
            done.problem := 'nothing';
            return done;
        end if;
        insert into core.spaces (name) values (space) on conflict do nothing;
        here := (core.enter(space)).id;
    end if;

    if session is not null then
        select * into thread from core.sessions s where s.space_id = here and s.name = session;
        if thread.id is null then
            done.problem := 'session';
            return done;
        end if;
        whose := coalesce(thread.distinct_id, thread.belongs_to);
        if whose = '' and scope = 'session' and person is not null then
            done.problem := 'several';
            done.detail := ledger.users_of(thread);
            return done;
        elsif whose <> '' and person <> whose then
            done.problem := 'user';
            return done;
        end if;
        person := coalesce(nullif(whose, ''), person);
        if thread.messages > 0 then
            if turn > thread.messages or turn is null then
                select count(*) into done.turn_index from core.messages m
                where m.space_id = here and m.id between thread.id << 24 and (thread.id << 24) + 16777215
                    and m.role = 'user';
                if turn > thread.messages then
                    done.problem := 'turn';
                    return done;
                end if;
            end if;
        end if;
    end if;
    if scope = 'cross_session' and person is null then
        done.problem := 'nobody';
        return done;
    end if;
    done.session_id := thread.uid;
    done.distinct_id := person;
    done.turn_index := coalesce(turn, done.turn_index, 0);

    -- One writer a key at a time, also where there is no row yet that could be held.
    perform pg_advisory_xact_lock(hashtextextended(
        concat_ws('/', here, scope, case scope when 'session' then session else person end, namespace, key), 7310522004));
    if scope = 'session' then
        select * into latest from ledger.chat_memory_events e
        where e.space_id = here and e.memory_scope = 'session' and e.session_id = thread.uid
            and e.memory_namespace = namespace and e.memory_key = key
        order by e.created_at desc, e.id desc limit 1;
    else
        select * into latest from ledger.chat_memory_events e
        where e.space_id = here and e.memory_scope = 'cross_session' and e.distinct_id = person
            and e.memory_namespace = namespace and e.memory_key = key
        order by e.created_at desc, e.id desc limit 1;
    end if;
    if latest_known <> latest.id then
        done.problem := 'moved';
        return done;
    end if;
    if latest.standing_event_id = latest.id then
        standing := latest;
    elsif latest.standing_event_id is not null then
        select * into standing from ledger.chat_memory_events e where e.space_id = here and e.id = latest.standing_event_id;
    end if;
    at := greatest(at, latest.created_at);
    live := standing.id is not null and (standing.expires_at is null or standing.expires_at > at);

    if standing.id is not null and (live or act in ('expire', 'delete')) then
        done.before_id := standing.id;
        done.before_value := standing.new_value_json;
        done.before_source := standing.value_source;
        done.before_assumed := standing.assumed;
        done.before_cap := standing.confidence_cap;
        done.before_turn := standing.turn_index;
        done.before_at := standing.created_at;
        done.before_expires_at := standing.expires_at;
    elsif act in ('correct', 'expire', 'delete') then
        done.problem := 'nothing';
        return done;
    end if;

    -- From here on nothing is refused but a session that became somebody else's this moment.
    if thread.id is not null and whose is null and person is not null then
        update core.sessions s set distinct_id = person
        where s.space_id = here and s.id = thread.id and s.distinct_id is null and coalesce(s.belongs_to, person) = person;
        if not found and person is distinct from (
                select s.distinct_id from core.sessions s where s.space_id = here and s.id = thread.id) then
            done.problem := 'user';
            return done;
        end if;
    end if;
    if act in ('expire', 'delete') then
        value := 'null';
        source := standing.value_source;
        assumption := standing.assumed;
        cap := 'none';
        expires := null;
        done.event_type := case act when 'expire' then 'fact_expired' else 'fact_deleted' end;
        done.stands := false;
    else
        if live and act <> 'restore' and (value, source, assumption, cap)
                is not distinct from (standing.new_value_json, standing.value_source, standing.assumed, standing.confidence_cap)
            and (expires is not distinct from standing.expires_at
                or renewal is not null and standing.expires_at > expires - renewal) then
            done.stands := true;
            return done;
        end if;
        done.stands := not live or act in ('correct', 'restore') or ledger.rank(source) >= ledger.rank(standing.value_source);
        done.event_type := case
            when live and done.stands and standing.assumed and not assumption then 'assumption_corrected'
            when live and done.stands and (act in ('correct', 'restore')
                or not assumption and value is distinct from standing.new_value_json) then 'fact_corrected'
            when assumption then 'assumption_set'
            else 'fact_set'
        end;
    end if;

    done.event_id := nextval('ledger.chat_memory_events_id_seq');
    done.created_at := at;
    done.expires_at := expires;
    insert into ledger.chat_memory_events (space_id, id, session_id, distinct_id, turn_index, event_type, memory_scope,
        memory_namespace, memory_key, old_value_json, new_value_json, value_source, assumed, confidence_cap, correlation_id,
        created_at, expires_at, actor, reason, standing_event_id)
    values (here, done.event_id, thread.uid, person, done.turn_index, done.event_type, scope, namespace, key,
        case when done.stands or act in ('expire', 'delete') then done.before_value end, value, source, assumption, cap,
        correlation, at, expires, who, why,
        case when done.stands then done.event_id when act not in ('expire', 'delete') then standing.id end);

    perform set_config('quipu.appended', done.event_id::text, true);
    if done.stands and scope = 'session' then
        insert into ledger.chat_session_memory as m (space_id, id, session_id, memory_namespace, memory_key, value_json,
            value_source, assumed, confidence_cap, source_turn_index, source_event_id, first_set_at, last_updated_at,
            expires_at, created_at, updated_at)
        values (here, done.event_id, thread.uid, namespace, key, value, source, assumption, cap, done.turn_index,
            done.event_id, at, at, expires, at, at)
        on conflict (space_id, session_id, memory_namespace, memory_key) do update set
            id = case when live then m.id else excluded.id end,
            first_set_at = case when live then m.first_set_at else excluded.first_set_at end,
            created_at = case when live then m.created_at else excluded.created_at end,
            value_json = excluded.value_json, value_source = excluded.value_source, assumed = excluded.assumed,
            confidence_cap = excluded.confidence_cap, source_turn_index = excluded.source_turn_index,
            source_event_id = excluded.source_event_id, last_updated_at = excluded.last_updated_at,
            expires_at = excluded.expires_at, updated_at = excluded.updated_at;
    elsif done.stands then
        place := ledger.preference_place(namespace, key);
        insert into ledger.chat_user_preferences as p (space_id, id, distinct_id, preference_namespace, preference_key,
            value_json, value_source, last_session_id, first_set_at, last_updated_at, expires_at, created_at, updated_at,
            assumed, confidence_cap, source_event_id)
        values (here, done.event_id, person, place[1], place[2], value,
            case source when 'assumed' then 'default' else source end, thread.uid, at, at, expires, at, at,
            assumption, cap, done.event_id)
        on conflict (space_id, distinct_id, preference_namespace, preference_key) do update set
            id = case when live then p.id else excluded.id end,
            first_set_at = case when live then p.first_set_at else excluded.first_set_at end,
            created_at = case when live then p.created_at else excluded.created_at end,
            value_json = excluded.value_json, value_source = excluded.value_source,
            last_session_id = excluded.last_session_id, last_updated_at = excluded.last_updated_at,
            expires_at = excluded.expires_at, updated_at = excluded.updated_at, assumed = excluded.assumed,
            confidence_cap = excluded.confidence_cap, source_event_id = excluded.source_event_id;
    elsif act in ('expire', 'delete') and scope = 'session' then
        delete from ledger.chat_session_memory m
        where m.space_id = here and m.session_id = thread.uid and m.memory_namespace = namespace and m.memory_key = key;
    elsif act in ('expire', 'delete') then
        place := ledger.preference_place(namespace, key);
        delete from ledger.chat_user_preferences p
        where p.space_id = here and p.distinct_id = person and p.preference_namespace = place[1]
            and p.preference_key = place[2];
    end if;
    -- What is found of it is filed by the next recall: an append embeds nothing.
    update core.spaces s set unfiled = s.unfiled | 2 where s.id = here and s.unfiled & 2 = 0;
    return done;
end
$$;

reset role;
