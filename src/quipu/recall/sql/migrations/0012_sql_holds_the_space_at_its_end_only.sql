-- Who writes by SQL may leave the transaction open for hours, and everybody who writes to the space updates its row. So
-- that row, and the index, are changed by SQL when it commits: until then nobody waits for it.

set local role quipu_owner;

create table core.at_commit (
    space_id integer not null,
    id bigint generated always as identity,
    space text not null default current_setting('quipu.space', true),
    kind integer,
    gone bigint[],
    primary key (space_id, id)
);
comment on table core.at_commit is 'What open transactions of SQL leave to their end, when it is done and its row goes: nobody sees one of another.';
comment on column core.at_commit.kind is 'Of this kind there is something that the index does not know: the code in core.recall_kinds.';
comment on column core.at_commit.gone is 'These entries are to be taken out of the index.';
alter table core.at_commit enable row level security;
alter table core.at_commit force row level security;
create policy own_space on core.at_commit using (space_id = (select core.current_space()));
grant select, insert, delete on core.at_commit to quipu_app;

create function core.do_at_commit() returns trigger
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set row_security = on
    as $$
declare
    entered constant text := coalesce(current_setting('quipu.space', true), '');
    entered_id constant text := coalesce(current_setting('quipu.space_id', true), '');
    kinds integer;
    doomed bigint[];
begin
    perform set_config('quipu.space', new.space, true), set_config('quipu.space_id', new.space_id::text, true);
    -- The first row does it for all of its space: those after it find none.
    with done as (
        delete from core.at_commit where space_id = new.space_id returning kind, gone
    )
    select (select bit_or(1 << (kind - 1)) from done), array(select unnest(gone) from done) into kinds, doomed;
    -- What is read committed sees what others left; an older snapshot does not know whether that was filed meanwhile.
    update core.spaces set unfiled = unfiled | kinds
    where id = new.space_id and kinds is not null
        and (unfiled & kinds <> kinds or current_setting('transaction_isolation') <> 'read committed');
    if doomed <> '{}' then
        update core.spaces s set
            entries = s.entries - g.entries, tokens = s.tokens - g.tokens, mixed_tokens = s.mixed_tokens - g.mixed_tokens,
            version = s.version + 1
        from (
            select count(*) as entries, sum(tokens) as tokens, sum(mixed_tokens::float8) as mixed_tokens
            from core.recall_entries where space_id = new.space_id and id = any(doomed)
        ) g
        where s.id = new.space_id and g.entries > 0;
        if found then
            perform core.take_out(doomed);
        end if;
    end if;
    perform set_config('quipu.space', entered, true), set_config('quipu.space_id', entered_id, true);
    return null;
end
$$;
create constraint trigger do_at_commit after insert on core.at_commit deferrable initially deferred
    for each row execute function core.do_at_commit();

create or replace function core.leave_unfiled(kind integer, space integer default core.current_space()) returns void
    language plpgsql volatile set search_path = pg_catalog, pg_temp
    as $$
begin
    perform core.write_by_hand(space);
    -- Until this transaction ends nobody says that all is filed: see core.is_left_alone.
    perform pg_advisory_xact_lock_shared(731200 + kind, space);
    insert into core.at_commit (space_id, kind)
    select leave_unfiled.space, leave_unfiled.kind
    where not exists (
        select from core.at_commit c where c.space_id = leave_unfiled.space and c.kind = leave_unfiled.kind);
end
$$;

create or replace function core.withdraw(gone bigint[]) returns void
    language plpgsql volatile set search_path = pg_catalog, pg_temp
    as $$
begin
    perform core.write_by_hand(core.current_space());
    insert into core.at_commit (space_id, gone)
    select core.current_space(), w.gone
    from (select array_remove(withdraw.gone, null) as gone) w
    where w.gone <> '{}';
end
$$;
comment on function core.withdraw(bigint[]) is
    'Takes entries that stand alone out of the index, with their share of the counters of the space that was entered, when the transaction commits.';

reset role;
