-- What of the record, of the index and of the outbox belongs to one person: messages that are theirs, and all of a
-- session in which nobody else is. The policies are for the role quipu_person alone.

set local role quipu_owner;

alter table core.sessions
    add column belongs_to text default core.current_person() check (char_length(belongs_to) <= 512);
comment on column core.sessions.belongs_to is
    'The one user whose session it is; empty: several, or one who was forgotten; null: nobody was named yet.';
create index sessions_person on core.sessions (space_id, belongs_to) where belongs_to <> '';

create function core.joined_person(before text, another text) returns text
    language sql immutable parallel safe
    return case when another is null then before when before is null or before = another then another else '' end;
comment on function core.joined_person(text, text) is 'Whose a session is, of which one person was known, and then another.';

create function core.note_owner_of_session() returns trigger
    language plpgsql
    as $$
begin
    if new.distinct_id is not null then
        new.belongs_to := core.joined_person(new.belongs_to, new.distinct_id);
    elsif lower(tg_op) = 'update' and old.distinct_id = new.belongs_to then
        new.belongs_to := '';
    end if;
    return new;
end
$$;
create trigger whose_on_insert before insert on core.sessions
    for each row when (new.distinct_id is not null) execute function core.note_owner_of_session();
create trigger whose_on_update before update of distinct_id on core.sessions
    for each row when (new.distinct_id is distinct from old.distinct_id) execute function core.note_owner_of_session();

create function core.note_users_of_sessions() returns trigger
    language plpgsql
    as $$
declare
    one record;
begin
    for one in
        select session_id, case when min(user_name) = max(user_name) then min(user_name) else '' end as person
        from added where session_id is not null and user_name is not null group by session_id
    loop
        update core.sessions s set belongs_to = core.joined_person(s.belongs_to, one.person)
        where s.space_id = core.current_space() and s.id = one.session_id
            and s.belongs_to is distinct from core.joined_person(s.belongs_to, one.person);
    end loop;
    return null;
end
$$;
create trigger whose after insert on core.messages
    referencing new table as added for each statement execute function core.note_users_of_sessions();

do $$
declare
    known text;
begin
    for known in select name from core.spaces loop
        perform core.enter(known);
        update core.sessions s set belongs_to = t.person
        from (
            select id, case when min(who) = max(who) then min(who) else '' end as person
            from (
                select session_id as id, user_name as who from core.messages
                where space_id = core.current_space() and session_id is not null and user_name is not null
                union all
                select id, distinct_id from core.sessions
                where space_id = core.current_space() and distinct_id is not null
            ) said
            group by id
        ) t
        where s.space_id = core.current_space() and s.id = t.id;
    end loop;
    perform set_config('quipu.space', '', true), set_config('quipu.space_id', '', true);
end
$$;

create policy person on core.sessions as restrictive to quipu_person
    using (belongs_to = (select core.current_person()));
grant select, insert, update on core.sessions to quipu_person;

create policy person on core.messages as restrictive to quipu_person
    using (user_name = (select core.current_person())
        or user_name is null and session_id in (
            select s.id from core.sessions s where s.space_id = (select core.current_space())))
    with check (user_name = (select core.current_person())
        and (session_id is null or session_id in (
            select s.id from core.sessions s where s.space_id = (select core.current_space()))));
grant select, insert, update on core.messages to quipu_person;

create policy person on core.tool_calls as restrictive to quipu_person
    using (session_id in (select s.id from core.sessions s where s.space_id = (select core.current_space())));
grant select, insert, update on core.tool_calls to quipu_person;

-- A job names the session or the person whom it is about; of others one waits, and is put anew, unseen.
create policy person on core.outbox as restrictive to quipu_person
    using (user_name = (select core.current_person())
        or user_name is null and session in (
            select s.name from core.sessions s where s.space_id = (select core.current_space())));
grant select, insert, update on core.outbox to quipu_person;

-- What is derived rests on messages. It runs as the owner, who sees them all: of what is shown to no one it says this.
create function core.are_of_person(numbers bigint[]) returns boolean
    language sql stable security definer set search_path = ''
    return not exists (
        select from core.messages m
        left join core.sessions s on s.space_id = m.space_id and s.id = m.session_id
        where m.space_id = core.current_space() and m.id = any(numbers)
            and coalesce(m.user_name, s.belongs_to) is distinct from core.current_person());
comment on function core.are_of_person(bigint[]) is
    'Whether these messages, those that are still there, belong to the person of this transaction alone.';

-- The index. An entry is theirs as its message or its row is; postings and vectors go with their entry, which is
-- written after them. How many entries have a word (recall_terms) is counted for the space as a whole, and a name
-- has one number (recall_names) whoever writes it: both are needed to write, and neither says who wrote what.
create function core.number_of_person() returns integer
    language sql stable
    return (select n.id from core.recall_names n
        where n.space_id = (select core.current_space()) and n.name = (select core.current_person()));
comment on function core.number_of_person() is 'The number of the person of this transaction in core.recall_names.';

create policy person on core.recall_entries as restrictive to quipu_person
    using (owner = (select core.number_of_person())
        or owner = 0 and id > 0 and id >> 24 in (
            select s.id from core.sessions s where s.space_id = (select core.current_space())));
create policy person on core.recall_postings as restrictive for select to quipu_person
    using (exists (select from core.recall_entries e
        where e.space_id = recall_postings.space_id and e.id = recall_postings.entry_id));
create function core.is_filed(entry bigint) returns boolean
    language sql stable security definer set search_path = ''
    return exists (select from core.recall_entries e where e.space_id = core.current_space() and e.id = entry);
comment on function core.is_filed(bigint) is 'Whether the space has such an entry, whoever asks: a vector goes after its entry.';
create policy person on core.recall_vectors as restrictive for select to quipu_person
    using (exists (select from core.recall_entries e
            where e.space_id = recall_vectors.space_id and e.id = recall_vectors.entry_id)
        or not core.is_filed(entry_id));
create policy person on core.recall_threads as restrictive to quipu_person
    using (id in (select s.id from core.sessions s where s.space_id = (select core.current_space())));

create function core.name_is_used(number integer) returns boolean
    language sql stable security definer set search_path = ''
    return exists (select from core.recall_entries e where e.space_id = core.current_space() and e.speaker = number)
        or exists (select from core.recall_entries e where e.space_id = core.current_space() and e.owner = number);
comment on function core.name_is_used(integer) is 'Whether any entry of the space has this number, whoever asks.';
create policy unused on core.recall_names as restrictive for delete to quipu_person
    using (not core.name_is_used(id));
grant select, insert, update, delete on core.recall_entries, core.recall_postings, core.recall_vectors,
    core.recall_threads, core.recall_terms to quipu_person;
grant select, insert, delete on core.recall_names to quipu_person;
grant select on core.recall_generations, core.recall_kinds to quipu_person;
grant usage on all sequences in schema core to quipu_person;

reset role;
