-- Other kinds of memory refer to sessions too, by a uuid; and a session can belong to a person.

set local role quipu_owner;

alter table core.sessions
    add column uid uuid not null generated always as (
        case when name ~ '^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$' then name::uuid
             else md5(space_id || '/' || name)::uuid end
    ) stored,
    add column distinct_id text check (char_length(distinct_id) between 1 and 512),
    add unique (space_id, uid);
comment on column core.sessions.uid is 'The name where that is a uuid, else made from it: the same in every copy of the database.';
comment on column core.sessions.distinct_id is 'Whose session it is, where a kind of memory was told; it is erased with the person.';

create function core.drop_empty_sessions(gone bigint[]) returns void
    language plpgsql volatile
    as $$
declare
    one bigint;
begin
    foreach one in array gone loop
        begin
            delete from core.sessions where space_id = core.current_space() and id = one and messages = 0;
        exception when foreign_key_violation then
            null;
        end;
    end loop;
end
$$;
comment on function core.drop_empty_sessions(bigint[]) is
    'Deletes sessions of the space that was entered, where nothing was said and no other kind of memory refers to them.';

reset role;
