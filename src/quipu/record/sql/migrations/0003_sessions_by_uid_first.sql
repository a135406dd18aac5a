-- Of several keys that begin with the space, a planner that takes the table for small may choose any, whatever is
-- asked, and read all sessions of the space by it. This one is of use only to who knows the uid.

set local role quipu_owner;

alter table core.sessions
    drop constraint sessions_space_id_uid_key,
    add constraint sessions_uid_space_id_key unique (uid, space_id);

reset role;
