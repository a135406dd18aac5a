-- What a statement takes away is seen by comparing what there is before and after it, not by its words.

set role quipu_owner;

create function tables.own_state()
    returns table (object text, state text, updated bigint, deleted bigint)
    language sql volatile security definer set search_path = pg_catalog, public, pg_temp set row_security = on
    as $$
    with own as (
        select n.oid as schema from tables.schemas s
        join pg_namespace n on n.nspname = s.schema_name
        where s.writer = session_user
    ),
    relations as (
        select c.* from own join pg_class c on c.relnamespace = own.schema
        where pg_get_userbyid(c.relowner) = session_user
    )
    select pg_describe_object('pg_class'::regclass, c.oid, 0),
        case when c.relkind = 'r' then c.relfilenode::text when c.relkind in ('v', 'm') then pg_get_viewdef(c.oid) end,
        coalesce(pg_stat_get_xact_tuples_updated(c.oid), 0), coalesce(pg_stat_get_xact_tuples_deleted(c.oid), 0)
    from relations c where c.relkind <> 't'
    union all
    select pg_describe_object('pg_class'::regclass, c.oid, a.attnum), format_type(a.atttypid, a.atttypmod), 0, 0
    from relations c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relkind in ('r', 'p', 'c')
    union all
    select pg_describe_object('pg_constraint'::regclass, k.oid, 0), pg_get_constraintdef(k.oid), 0, 0
    from own join pg_constraint k on k.connamespace = own.schema
    where pg_get_userbyid(coalesce((select relowner from pg_class where oid = nullif(k.conrelid, 0)),
        (select typowner from pg_type where oid = nullif(k.contypid, 0)))) = session_user
    union all
    select pg_describe_object('pg_trigger'::regclass, t.oid, 0), concat(pg_get_triggerdef(t.oid), t.tgenabled), 0, 0
    from relations c join pg_trigger t on t.tgrelid = c.oid join pg_proc p on p.oid = t.tgfoid
    where not t.tgisinternal and pg_get_userbyid(p.proowner) <> 'quipu_owner'
    union all
    select pg_describe_object('pg_rewrite'::regclass, r.oid, 0), pg_get_ruledef(r.oid), 0, 0
    from relations c join pg_rewrite r on r.ev_class = c.oid and r.rulename <> '_RETURN'
    union all
    select pg_describe_object('pg_policy'::regclass, p.oid, 0),
        concat(pg_get_expr(p.polqual, p.polrelid), ' check ', pg_get_expr(p.polwithcheck, p.polrelid)), 0, 0
    from relations c join pg_policy p on p.polrelid = c.oid
    union all
    select pg_describe_object('pg_proc'::regclass, p.oid, 0), md5(concat(p.prosrc, pg_get_function_sqlbody(p.oid))), 0, 0
    from own join pg_proc p on p.pronamespace = own.schema where pg_get_userbyid(p.proowner) = session_user
    union all
    select pg_describe_object('pg_type'::regclass, t.oid, 0), null, 0, 0
    from own join pg_type t on t.typnamespace = own.schema
    where pg_get_userbyid(t.typowner) = session_user and t.typelem = 0 and t.typtype in ('e', 'd', 'r')
    union all
    select pg_describe_object('pg_statistic_ext'::regclass, e.oid, 0), null, 0, 0
    from own join pg_statistic_ext e on e.stxnamespace = own.schema where pg_get_userbyid(e.stxowner) = session_user
    union all
    select pg_describe_object('pg_operator'::regclass, o.oid, 0), null, 0, 0
    from own join pg_operator o on o.oprnamespace = own.schema where pg_get_userbyid(o.oprowner) = session_user
    $$;
comment on function tables.own_state() is
    'Every object of the writer who is logged in, how it is defined, and how many of its rows this transaction updated and deleted.';

reset role;
