-- One person of a space: a transaction on behalf of a person has the role quipu_person, and sees what belongs to
-- that person alone. Each room says of its tables what that is, in restrictive policies for this role; what it
-- has no right on is closed to it. The role of the application is not touched by any of them.

do $$
begin
    if not exists (select from pg_roles where rolname = 'quipu_person') then
        create role quipu_person nologin;
    end if;
    if not pg_has_role(current_user, 'quipu_person', 'usage') then
        execute format('grant quipu_person to %I', current_user);
    end if;
end
$$;

set local role quipu_owner;

create function core.current_person() returns text
    language sql stable parallel safe
    return nullif(current_setting('quipu.person', true), '');
comment on function core.current_person() is
    'The person on whose behalf this transaction is; null: nobody''s, and then the role quipu_person sees nothing.';

grant usage on schema core to quipu_person;
grant select, insert, update on core.spaces to quipu_person;
grant select on core.settings, core.space_settings to quipu_person;

-- Where a database is hardened, who writes on behalf of a person still takes locks and rings for the workers.
create function core.equip_people() returns void
    language sql volatile set search_path = pg_catalog, pg_temp
    as $$
    grant execute on function pg_advisory_xact_lock(bigint), pg_advisory_xact_lock_shared(bigint),
        pg_advisory_xact_lock(integer, integer), pg_notify(text, text) to quipu_person
    $$;
revoke execute on function core.equip_people() from public;
comment on function core.equip_people() is
    'Gives quipu_person what it needs of what core.harden() takes from everybody; run by a superuser.';

create or replace function core.harden() returns integer
    language plpgsql volatile set search_path = pg_catalog, pg_temp
    as $$
declare
    ours constant text := (
        select string_agg(quote_ident(rolname), ', ')
        from pg_roles where rolname in ('quipu_owner', 'quipu_app', 'quipu_relay'));
    others constant text := case when to_regrole('quipu_see') is null then 'public' else 'public, quipu_see' end;
    taken text;
    count integer := 0;
begin
    revoke create on schema public from public;
    perform core.equip_people();
    for taken in select granted from core.open_rights() loop
        execute format('grant %s to %s', taken, ours);
        execute format('revoke %s from %s', taken, others);
        count := count + 1;
    end loop;
    return count;
end
$$;

reset role;

do $$
begin
    if (select rolsuper from pg_roles where rolname = current_user) then
        perform core.equip_people();
    end if;
end
$$;
