-- What is written to episodes.conversations stays or is refused: a thread_id and the created_at of a new conversation were
-- dropped, and changes of what follows from what was said were passed over, as they were in episodes.messages.

set local role quipu_owner;

alter table episodes.conversation_details
    add column thread text check (char_length(thread) between 1 and 1000);
comment on column episodes.conversation_details.thread is
    'As somebody has set it; else it is the name of the thread of its latest exchange.';

create or replace view episodes.conversations with (security_invoker = true) as
select
    s.uid as id,
    coalesce(d.user_name, s.distinct_id) as user_id,
    coalesce(d.topic, t.name, '') as topic,
    d.title,
    coalesce(d.status, 'active') as status,
    coalesce(s.started_at, s.created_at) as created_at,
    greatest(d.updated_at, coalesce(s.last_at, s.created_at)) as updated_at,
    coalesce(d.thread, h.name) as thread_id,
    s.name as session,
    s.messages,
    s.space_id,
    s.id as session_number
from core.sessions s
left join episodes.conversation_details d on d.space_id = s.space_id and d.session_id = s.id
left join episodes.topics t on t.space_id = d.space_id and t.id = d.topic_id
left join episodes.threads h on h.space_id = d.space_id and h.id = d.thread_id;

create or replace function episodes.write_conversation() returns trigger
    language plpgsql volatile
    as $$
declare
    number bigint;
begin
    if lower(tg_op) = 'insert' then
        insert into core.sessions (space_id, name, distinct_id, created_at)
        values (core.current_space(), coalesce(new.id, gen_random_uuid())::text, new.user_id,
            coalesce(new.created_at, now()))
        returning id, uid into number, new.id;
    elsif (new.id, new.created_at, new.session, new.messages)
        is distinct from (old.id, old.created_at, old.session, old.messages) then
        raise exception 'id, created_at, session and messages of a conversation follow from what was said'
            using errcode = 'feature_not_supported',
                hint = 'Here user_id, topic, title, status, updated_at and thread_id can be changed.';
    else
        number := old.session_number;
    end if;
    insert into episodes.conversation_details as d (session_id, user_name, topic, title, status, updated_at, thread)
    values (number, new.user_id, nullif(new.topic, ''), new.title, coalesce(new.status, 'active'),
        coalesce(new.updated_at, new.created_at, now()), new.thread_id)
    on conflict (space_id, session_id) do update set
        user_name = excluded.user_name,
        topic = case when new.topic is distinct from old.topic then excluded.topic else d.topic end,
        thread = case when new.thread_id is distinct from old.thread_id then excluded.thread else d.thread end,
        title = excluded.title,
        status = excluded.status,
        updated_at = case when new.updated_at is distinct from old.updated_at then excluded.updated_at else now() end;
    return new;
end
$$;

create or replace function episodes.write_message() returns trigger
    language plpgsql volatile
    as $$
begin
    if lower(tg_op) = 'insert'
        or (new.id, new.conversation_id, new.role, new.content, new.created_at)
            is distinct from (old.id, old.conversation_id, old.role, old.content, old.created_at) then
        raise exception 'what was said is written by observe(), which takes out secrets and files it'
            using errcode = 'feature_not_supported',
                hint = 'Here only mode and metadata of a message can be changed.';
    end if;
    insert into episodes.message_details (message_id, mode, metadata)
    values (old.message_number, new.mode, coalesce(new.metadata, '{}'::jsonb))
    on conflict (space_id, message_id) do update set mode = excluded.mode, metadata = excluded.metadata;
    return new;
end
$$;

reset role;
