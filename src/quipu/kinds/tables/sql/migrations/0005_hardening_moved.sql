-- What was taken from everybody for the sake of agents' logins is core.harden() now: readers need it as well, and
-- more is taken. What the engine asked of the catalogue on the login of a writer is asked by a function.

drop function tables.harden();

set local role quipu_owner;

create function tables.columns_of(in_table text) returns table (name text, type text, computed boolean)
    language sql stable security definer set search_path = pg_catalog, public, pg_temp set row_security = on
    as $$
    select a.attname::text, format_type(a.atttypid, a.atttypmod), a.attgenerated <> ''
    from tables.schemas s
    join pg_class c on c.relnamespace = to_regnamespace(quote_ident(s.schema_name)) and c.relname = in_table
        and c.relkind in ('r', 'p')
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where s.writer = session_user
    order by a.attnum
    $$;
comment on function tables.columns_of(text) is 'Columns and their types of a table of the writer who is logged in.';

create function tables.is_own(in_table text) returns boolean
    language sql stable security definer set search_path = pg_catalog, pg_temp set row_security = on
    as $$
    select exists (
        select from tables.schemas s
        join pg_class c on c.relnamespace = to_regnamespace(quote_ident(s.schema_name)) and c.relname = in_table
            and c.relkind in ('r', 'p', 'f')
        where s.writer = session_user)
    $$;
comment on function tables.is_own(text) is 'Whether the writer who is logged in has a table of that name.';

reset role;
