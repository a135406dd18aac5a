-- What of conversations and episodes belongs to one person (see core.current_person): what hangs from a session that is
-- theirs, and what names them and rests on nobody else's messages. Prompts are closed: a worker answers them, who sees
-- everybody's memory.

set local role quipu_owner;

create function episodes.episode_is_of_person(episode uuid) returns boolean
    language sql stable security definer set search_path = ''
    return core.are_of_person(array(
        select x.message_id from episodes.episode_messages x
        where x.space_id = core.current_space() and x.episode_id = episode));
create function episodes.belief_is_of_person(belief uuid) returns boolean
    language sql stable security definer set search_path = ''
    return core.are_of_person(array(
        select x.message_id from episodes.belief_sources x
        where x.space_id = core.current_space() and x.belief_id = belief));
create function episodes.topic_is_of_person(topic bigint) returns boolean
    language sql stable security definer set search_path = ''
    return not exists (
        select from episodes.exchanges x
        left join core.sessions s on s.space_id = x.space_id and s.id = x.session_id
        where x.space_id = core.current_space() and x.topic_id = topic
            and s.belongs_to is distinct from core.current_person());
comment on function episodes.topic_is_of_person(bigint) is
    'Whether a topic was met in sessions of the person of this transaction alone.';

create policy person on episodes.stored_episodes as restrictive to quipu_person
    using (user_name = (select core.current_person()) and episodes.episode_is_of_person(id)
        and (session_id is null or session_id in (
            select s.id from core.sessions s where s.space_id = (select core.current_space()))));
create policy person on episodes.beliefs as restrictive to quipu_person
    using (user_name = (select core.current_person()) and episodes.belief_is_of_person(id));
create policy person on episodes.topics as restrictive to quipu_person
    using (user_name = (select core.current_person()) and episodes.topic_is_of_person(id));
create policy person on episodes.threads as restrictive to quipu_person
    using (user_name = (select core.current_person()));
create policy person on episodes.loop_messages as restrictive to quipu_person
    using (exists (select from episodes.loops l
        where l.space_id = loop_messages.space_id and l.id = loop_messages.loop_id));
create policy person on episodes.message_details as restrictive to quipu_person
    using (exists (select from core.messages m
        where m.space_id = message_details.space_id and m.id = message_details.message_id));
create policy person on episodes.belief_sources as restrictive to quipu_person
    using (exists (select from episodes.beliefs b
        where b.space_id = belief_sources.space_id and b.id = belief_sources.belief_id));
create policy person on episodes.conflicts as restrictive to quipu_person
    using ((select count(*) from episodes.beliefs b
        where b.space_id = conflicts.space_id and b.id in (conflicts.belief_id, conflicts.rival_id)) = 2);

do $$
declare
    t text;
begin
    foreach t in array array['conversation_details', 'exchanges', 'loops', 'progress'] loop
        execute format('create policy person on episodes.%I as restrictive to quipu_person using (session_id in ('
            'select s.id from core.sessions s where s.space_id = (select core.current_space())))', t);
    end loop;
    foreach t in array array['accesses', 'episode_history', 'episode_messages'] loop
        execute format('create policy person on episodes.%1$I as restrictive to quipu_person using (exists ('
            'select from episodes.stored_episodes e where e.space_id = %1$I.space_id and e.id = %1$I.episode_id))', t);
    end loop;
end
$$;

grant usage on schema episodes to quipu_person;
grant select, insert, update on episodes.stored_episodes, episodes.episode_history, episodes.beliefs, episodes.conflicts,
    episodes.conversation_details, episodes.loops, episodes.message_details, episodes.conversations,
    episodes.episodes to quipu_person;
grant select, insert, update, delete on episodes.accesses to quipu_person;
grant select on episodes.belief_sources, episodes.episode_messages, episodes.exchanges, episodes.loop_messages,
    episodes.messages, episodes.progress, episodes.threads, episodes.topics to quipu_person;
grant usage on all sequences in schema episodes to quipu_person;

reset role;
