set local role quipu_owner;

-- Receipts that an archive brought from another database. They are proofs of that one: its key signed them, its chain
-- has their numbers. So they are no erasures of this database, and are kept beside these.
create table core.carried_receipts (
    space_id integer not null references core.spaces (id) on delete cascade,
    id uuid not null,
    erased_at timestamptz not null,
    counts jsonb not null check (jsonb_typeof(counts) = 'object'),
    document jsonb not null check (jsonb_typeof(document) = 'object'),
    signature bytea not null check (octet_length(signature) = 64),
    public_key bytea not null check (octet_length(public_key) = 32),
    primary key (space_id, id)
);
comment on table core.carried_receipts is 'Receipts of other databases, as an archive brought them.';
comment on column core.carried_receipts.public_key is 'What verifies the signature: the key of the database that signed.';

call core.keep_in_space('core', array['carried_receipts'], rights => 'select, insert');

create view core.receipts with (security_invoker = true) as
select space_id, id, erased_at, counts, document, signature, core.erasure_public_key() as public_key
from core.erasures where document is not null
union all
select space_id, id, erased_at, counts, document, signature, public_key from core.carried_receipts;
comment on view core.receipts is 'The receipts of a space, its own and those of other databases, each with the key that verifies it.';

grant select on core.receipts to quipu_app;

-- A person who spoke in a session of several sees only what they said there, and facts about them. An archive of
-- theirs needs the session as well, for these refer to it: they get its name, and figures of their own messages alone.
create function core.shared_sessions_of_person() returns setof core.sessions
    language sql stable security definer set search_path = ''
    as $$
    select s.space_id, s.id, s.name, coalesce(m.messages, 0), m.started_at, m.last_at, coalesce(m.started_at, s.created_at),
        s.uid, null::text, ''::text, false
    from core.sessions s
    left join (
        select session_id, count(*) as messages, min(happened_at) as started_at, max(happened_at) as last_at
        from core.messages
        where space_id = core.current_space() and user_name = core.current_person()
        group by session_id
    ) m on m.session_id = s.id
    where s.space_id = core.current_space() and s.belongs_to is distinct from core.current_person()
        and (m.session_id is not null or s.uid in (
            select e.session_id from ledger.chat_memory_events e
            where e.space_id = core.current_space() and e.distinct_id = core.current_person()))
    $$;
comment on function core.shared_sessions_of_person() is
    'Sessions that do not belong to the person of this transaction, but in which they said something.';

revoke execute on function core.shared_sessions_of_person() from public;

grant execute on function core.shared_sessions_of_person() to quipu_person;

create view core.sessions_of_person with (security_invoker = true) as
select * from core.sessions union all select * from core.shared_sessions_of_person();
comment on view core.sessions_of_person is 'Sessions in which the person of this transaction took part.';

grant select on core.sessions_of_person to quipu_person;

-- And where somebody asks for what others said there: these are read with the rights of the application.
create view core.sessions_beside_person with (security_invoker = true) as
select s.* from core.sessions s
where s.belongs_to = core.current_person()
    or s.id in (select m.session_id from core.messages m where m.space_id = s.space_id and m.user_name = core.current_person())
    or s.uid in (
        select e.session_id from ledger.chat_memory_events e
        where e.space_id = s.space_id and e.distinct_id = core.current_person());
comment on view core.sessions_beside_person is 'Sessions in which the person of this transaction took part, as they are.';

create view core.messages_beside_person with (security_invoker = true) as
select m.* from core.messages m
where m.user_name = core.current_person()
    or m.session_id in (select s.id from core.sessions_beside_person s where s.space_id = m.space_id);
comment on view core.messages_beside_person is 'Messages of the person of this transaction, and those beside them.';

grant select on core.sessions_beside_person, core.messages_beside_person to quipu_app;

create view episodes.threads_of_person with (security_invoker = true) as
select t.space_id, t.id, t.user_name, t.platform, t.channel, t.seq, t.name, t.state, e.started_at, e.last_at, e.exchanges,
    t.resumed, t.continued_from
from episodes.threads t
join (
    select space_id, thread_id, count(*)::integer as exchanges, min(started_at) as started_at, max(ended_at) as last_at
    from episodes.exchanges group by space_id, thread_id
) e on e.space_id = t.space_id and e.thread_id = t.id;
comment on view episodes.threads_of_person is
    'Threads as far as they consist of exchanges that the person of this transaction sees.';

grant select on episodes.threads_of_person to quipu_person;

-- An archive brings rows with their numbers, and what is written next must get other ones. It looks at what is there
-- and takes nothing: whoever may write rows may have the numbers go on above these.
create function core.number_on() returns void
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
    as $$
    declare
        place record;
        reached bigint;
        given bigint;
    begin
        for place in
            select c.oid::regclass as relation, a.attname, s.oid::regclass as numbers
            from pg_class s
            join pg_depend d on d.objid = s.oid and d.classid = 'pg_class'::regclass and d.deptype = 'i'
            join pg_class c on c.oid = d.refobjid
            join pg_attribute a on a.attrelid = c.oid and a.attnum = d.refobjsubid
            where s.relkind = 'S' and exists (
                select from pg_attribute o where o.attrelid = c.oid and o.attname = 'space_id' and not o.attisdropped)
            union
            select c.oid::regclass, a.attname, s.oid::regclass
            from pg_attrdef f
            join pg_depend d on d.objid = f.oid and d.classid = 'pg_attrdef'::regclass and d.refclassid = 'pg_class'::regclass
            join pg_class s on s.oid = d.refobjid and s.relkind = 'S'
            join pg_class c on c.oid = f.adrelid
            join pg_attribute a on a.attrelid = c.oid and a.attnum = f.adnum
            where exists (
                select from pg_attribute o where o.attrelid = c.oid and o.attname = 'space_id' and not o.attisdropped)
            union
            select 'core.messages'::regclass, 'id', 'core.recall_alone'::regclass
            union
            select 'core.removed_messages'::regclass, 'id', 'core.recall_alone'::regclass
        loop
            execute format('select max(%1$I) from %2$s where space_id = core.current_space() and (%1$I < 0) = %3$L',
                place.attname, place.relation, place.numbers = 'core.recall_alone'::regclass) into reached;
            execute format('select last_value from %s', place.numbers) into given;
            if reached >= given then
                -- Others may take numbers between these two statements: the room is for them.
                perform setval(place.numbers, reached + 1000);
            end if;
        end loop;
    end
    $$;
comment on function core.number_on() is 'Has the numbers of new rows go on above those that the space of this transaction has.';

revoke execute on function core.number_on() from public;

grant execute on function core.number_on() to quipu_app;

create function core.space_was_erased(wanted text, since timestamptz) returns boolean
    language sql stable security definer set search_path = ''
    as $$ select exists (select from core.erasures where space_hash = wanted and erased_at >= since) $$;
comment on function core.space_was_erased(text, timestamptz) is
    'Whether a space was forgotten whole since a moment; asked by who knows its name, and so the hash of it.';

revoke execute on function core.space_was_erased(text, timestamptz) from public;

grant execute on function core.space_was_erased(text, timestamptz) to quipu_app;

alter table core.exports drop constraint exports_kind_check;

alter table core.exports add check (kind in ('tables', 'longterm', 'transcripts', 'archive'));

reset role;
