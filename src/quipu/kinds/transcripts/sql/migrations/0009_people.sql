-- Recorded sessions of coding agents have no user: to who acts for one person all of them are closed. Only what an
-- entry that is taken out of the index leaves behind is looked at for messages that wait.

set local role quipu_owner;

create policy person on core.unfiled_messages as restrictive to quipu_person
    using (exists (select from core.messages m
        where m.space_id = unfiled_messages.space_id and m.id = unfiled_messages.message_id));
grant select on core.unfiled_messages to quipu_person;

reset role;
