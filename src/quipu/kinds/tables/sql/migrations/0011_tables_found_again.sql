-- The tables of agents are known by their oids, and a dump that is read into another server gives each a new one;
-- the old number may even be that of another table there. So before a schema is followed its tables are looked for
-- by name, where the number does not lead to a table of that name. A rename is no such case: tables.settle() notes
-- it in the same transaction.

set local role quipu_owner;

create function tables.find_again(in_schema integer) returns integer
    language plpgsql volatile set search_path = pg_catalog, pg_temp
    as $$
declare
    here constant integer := core.current_space();
    lost constant integer[] := array(
        select r.id
        from tables.relations r
        join tables.schemas s on s.space_id = r.space_id and s.id = r.schema_id
        join pg_namespace n on n.nspname = s.schema_name
        join pg_class there on there.relnamespace = n.oid and there.relname = r.table_name
            and there.relkind in ('r', 'p')
        left join pg_class c on c.oid = r.relation and c.relnamespace = n.oid and c.relname = r.table_name
        where r.space_id = here and r.schema_id = in_schema and c.oid is null);
begin
    -- First out of the way: the new number of one may be the old one of another.
    update tables.relations set relation = (4294967295 - id)::oid
    where space_id = here and schema_id = in_schema and id = any(lost);
    update tables.relations r
    set relation = c.oid,
        columns = (
            select coalesce(jsonb_object_agg(a.attnum, a.attname), '{}')
            from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped)
    from tables.schemas s
    join pg_namespace n on n.nspname = s.schema_name
    join pg_class c on c.relnamespace = n.oid
    where r.space_id = here and r.schema_id = in_schema and r.id = any(lost)
        and s.space_id = r.space_id and s.id = r.schema_id
        and c.relname = r.table_name and c.relkind in ('r', 'p');
    return cardinality(lost);
end
$$;
revoke execute on function tables.find_again(integer) from public;
comment on function tables.find_again(integer) is
    'Corrects the oids of the tables of a schema after a dump was read in; returns how many were wrong.';

alter function tables.watch(integer) rename to watch_found;
revoke execute on function tables.watch_found(integer) from quipu_app;

create function tables.watch(in_schema integer) returns integer
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set row_security = on
        set lock_timeout = '2s'
    as $$
begin
    perform tables.find_again(in_schema);
    return tables.watch_found(in_schema);
end
$$;
revoke execute on function tables.watch(integer) from public;
grant execute on function tables.watch(integer) to quipu_app;
comment on function tables.watch(integer) is
    'Has changes of the rows of a schema written down; returns how many tables must be looked at as a whole.';

reset role;
