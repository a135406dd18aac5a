-- An agent owns its tables. What it does with that must not stop their upkeep, nor anybody else's: snapshots read all
-- of their rows, autovacuum runs none of its code, and a table that embeds takes rows.

set local role quipu_owner;

-- ANALYZE computes the expressions of indexes and statistics, and no limit of time holds for autovacuum: two tables
-- with expressions that never end would take all its workers. VACUUM computes none, and goes on.
create function tables.keep_own() returns void
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set row_security = on
    as $$
declare
    own record;
begin
    for own in
        select c.oid::regclass as name, c.relforcerowsecurity as forced, c.relkind = 'S' as counts,
            not has_table_privilege(session_user, c.oid, 'select') as closed,
            c.relkind in ('r', 'm')
                and 'autovacuum_analyze_threshold=2147483647' <> all (coalesce(c.reloptions, '{}'))
                and (exists (select from pg_index i where i.indrelid = c.oid
                        and (i.indexprs is not null or i.indpred is not null))
                    or exists (select from pg_statistic_ext e where e.stxrelid = c.oid and e.stxexprs is not null))
                as computes
        from tables.schemas s
        join pg_class c on c.relnamespace = to_regnamespace(quote_ident(s.schema_name))
        where s.writer = session_user and pg_get_userbyid(c.relowner) = session_user
            and c.relkind in ('r', 'p', 'v', 'm', 'S')
    loop
        if own.forced then
            execute format('alter table %s no force row level security', own.name);
        end if;
        if own.closed then
            execute format('grant all on %s %s to %I', case when own.counts then 'sequence' else 'table' end,
                own.name, session_user);
        end if;
        if own.computes then
            execute format('alter table %s set (autovacuum_analyze_threshold = 2147483647,'
                ' autovacuum_analyze_scale_factor = 100)', own.name);
        end if;
    end loop;
end
$$;
comment on function tables.keep_own() is
    'Has whoever is logged in as a writer read all rows of its own tables, and autovacuum run no code of theirs.';

-- A trigger that compares rows of a statement cannot read what is computed when it is read.
create function tables.refuse_virtual() returns trigger
    language plpgsql volatile set search_path = pg_catalog, pg_temp
    as $$
declare
    computed text;
begin
    select a.attname into computed from pg_attribute a
    where a.attrelid = new.relation and a.attname = any(new.fields) and a.attgenerated = 'v' and not a.attisdropped;
    if computed is not null then
        raise exception '%.% is computed when it is read, and cannot be embedded', new.table_name, computed
            using errcode = 'check_violation',
                hint = 'Declare it GENERATED ALWAYS AS (…) STORED, or embed the columns that it is computed from.';
    end if;
    return new;
end
$$;
revoke execute on function tables.refuse_virtual() from public;
create trigger refuse_virtual before insert or update of fields, columns, relation on tables.relations
    for each row execute function tables.refuse_virtual();

reset role;
