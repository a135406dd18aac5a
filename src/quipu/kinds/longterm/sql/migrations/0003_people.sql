-- What of long-term memory belongs to one person (see core.current_person): memories that name them and rest on nobody
-- else's messages, and what hangs from these.

set local role quipu_owner;

create function longterm.is_of_person(memory uuid) returns boolean
    language sql stable security definer set search_path = ''
    return core.are_of_person(array(
        select x.message_id from longterm.sources x
        where x.space_id = core.current_space() and x.memory_id = memory and x.message_id is not null));
comment on function longterm.is_of_person(uuid) is
    'Whether the messages that a memory rests on belong to the person of this transaction alone.';

create policy person on longterm.long_term_memory as restrictive to quipu_person
    using (user_name = (select core.current_person()) and longterm.is_of_person(id));
create policy person on longterm.history as restrictive to quipu_person
    using (exists (select from longterm.long_term_memory m
        where m.space_id = history.space_id and m.id = history.memory_id));
create policy person on longterm.sources as restrictive to quipu_person
    using (exists (select from longterm.long_term_memory m
        where m.space_id = sources.space_id and m.id = sources.memory_id))
    with check (core.are_of_person(array[message_id]));
create policy person on longterm.audit as restrictive to quipu_person
    using (user_name = (select core.current_person()));
create policy person on longterm.audit_memories as restrictive to quipu_person
    using (exists (select from longterm.audit a
        where a.space_id = audit_memories.space_id and a.id = audit_memories.audit_id));
create policy person on longterm.evaluations as restrictive to quipu_person
    using (session_id in (select s.id from core.sessions s where s.space_id = (select core.current_space())));

grant usage on schema longterm to quipu_person;
grant select, insert, update on longterm.long_term_memory, longterm.history, longterm.sources, longterm.audit,
    longterm.audit_memories to quipu_person;
grant select on longterm.evaluations to quipu_person;
grant usage on all sequences in schema longterm to quipu_person;

reset role;
