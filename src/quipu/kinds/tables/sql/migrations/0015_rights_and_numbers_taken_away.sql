-- A statement also takes away the rights of others, row level security, and numbers that a sequence gave already.

set role quipu_owner;

create or replace function tables.own_state()
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
        where pg_get_userbyid(c.relowner) = session_user or c.relname = 'schema_registry'
    ),
    functions as (
        select p.* from own join pg_proc p on p.pronamespace = own.schema
        where pg_get_userbyid(p.proowner) = session_user
    ),
    types as (
        select t.* from own join pg_type t on t.typnamespace = own.schema
        where pg_get_userbyid(t.typowner) = session_user
    )
    select pg_describe_object('pg_class'::regclass, c.oid, 0),
        case when c.relkind = 'r' then c.relfilenode::text when c.relkind in ('v', 'm') then pg_get_viewdef(c.oid) end,
        coalesce(pg_stat_get_xact_tuples_updated(c.oid), 0), coalesce(pg_stat_get_xact_tuples_deleted(c.oid), 0)
    from relations c where c.relkind <> 't'
    union all
    select 'row level security of ' || pg_describe_object('pg_class'::regclass, c.oid, 0),
        concat_ws(' ', c.relrowsecurity, c.relforcerowsecurity), 0, 0
    from relations c where c.relkind in ('r', 'p')
    union all
    -- A right that somebody has; what the engine gives again at the end of each call is none to lose.
    select format('right %s on %s of %s', lower(x.privilege_type), o.object,
        case when x.grantee = 0 then 'public' else pg_get_userbyid(x.grantee) end), null, 0, 0
    from (
        select pg_describe_object('pg_class'::regclass, c.oid, 0), c.relacl, c.relowner from relations c
        union all
        select pg_describe_object('pg_class'::regclass, c.oid, a.attnum), a.attacl, c.relowner
        from relations c join pg_attribute a on a.attrelid = c.oid and a.attacl is not null
        union all
        select pg_describe_object('pg_proc'::regclass, p.oid, 0),
            coalesce(p.proacl, acldefault('f', p.proowner)), p.proowner from functions p
        union all
        select pg_describe_object('pg_type'::regclass, t.oid, 0), t.typacl, t.typowner from types t
    ) o (object, acl, owner)
    cross join aclexplode(o.acl) x
    where x.grantee <> o.owner
    union all
    select 'numbering of ' || pg_describe_object('pg_class'::regclass, c.oid, 0),
        concat_ws(' ', q.seqstart, q.seqincrement, q.seqmin, q.seqmax, q.seqcycle, q.seqtypid), 0, 0
    from relations c join pg_sequence q on q.seqrelid = c.oid
    union all
    select 'number of ' || pg_describe_object('pg_class'::regclass, c.oid, 0),
        pg_sequence_last_value(c.oid) || ' ' || sign(q.seqincrement), 0, 0
    from relations c join pg_sequence q on q.seqrelid = c.oid where not q.seqcycle
    union all
    select pg_describe_object('pg_class'::regclass, c.oid, a.attnum),
        concat(format_type(a.atttypid, a.atttypmod), a.attidentity), 0, 0
    from relations c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relkind in ('r', 'p', 'c')
    union all
    select pg_describe_object('pg_attrdef'::regclass, d.oid, 0), pg_get_expr(d.adbin, d.adrelid), 0, 0
    from relations c join pg_attrdef d on d.adrelid = c.oid
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
    select pg_describe_object('pg_rewrite'::regclass, r.oid, 0), concat(pg_get_ruledef(r.oid), r.ev_enabled), 0, 0
    from relations c join pg_rewrite r on r.ev_class = c.oid and r.rulename <> '_RETURN'
    union all
    select pg_describe_object('pg_policy'::regclass, p.oid, 0),
        concat(pg_get_expr(p.polqual, p.polrelid), ' check ', pg_get_expr(p.polwithcheck, p.polrelid)), 0, 0
    from relations c join pg_policy p on p.polrelid = c.oid
    union all
    select pg_describe_object('pg_proc'::regclass, p.oid, 0),
        md5(concat(p.prosrc, pg_get_function_sqlbody(p.oid), p.prosecdef, p.proconfig)), 0, 0
    from functions p
    union all
    select pg_describe_object('pg_type'::regclass, t.oid, 0),
        t.typdefault, 0, 0
    from types t where t.typelem = 0 and t.typtype in ('e', 'd', 'r')
    union all
    select format('value %L of %s', e.enumlabel, pg_describe_object('pg_type'::regclass, t.oid, 0)), null, 0, 0
    from types t join pg_enum e on e.enumtypid = t.oid
    union all
    select pg_describe_object('pg_statistic_ext'::regclass, e.oid, 0), null, 0, 0
    from own join pg_statistic_ext e on e.stxnamespace = own.schema where pg_get_userbyid(e.stxowner) = session_user
    union all
    select pg_describe_object('pg_operator'::regclass, o.oid, 0), null, 0, 0
    from own join pg_operator o on o.oprnamespace = own.schema where pg_get_userbyid(o.oprowner) = session_user
    union all
    select pg_describe_object(o.class, o.oid, 0), null, 0, 0
    from (
        select 'pg_cast'::regclass as class, k.oid from pg_cast k
        where k.castsource in (select oid from types) or k.casttarget in (select oid from types)
            or k.castfunc in (select oid from functions)
        union all
        select 'pg_ts_config'::regclass, f.oid from own join pg_ts_config f on f.cfgnamespace = own.schema
        union all
        select 'pg_ts_dict'::regclass, d.oid from own join pg_ts_dict d on d.dictnamespace = own.schema
        union all
        select 'pg_collation'::regclass, l.oid from own join pg_collation l on l.collnamespace = own.schema
        union all
        select 'pg_conversion'::regclass, v.oid from own join pg_conversion v on v.connamespace = own.schema
    ) o
    union all
    select format('part %s of %s', h.inhrelid::regclass, h.inhparent::regclass), null, 0, 0
    from relations c join pg_inherits h on h.inhparent = c.oid where c.relkind in ('r', 'p')
    union all
    select 'comment of ' || pg_describe_object(d.classoid, d.objoid, d.objsubid), md5(d.description), 0, 0
    from pg_description d
    where d.classoid = 'pg_class'::regclass and d.objoid in (select oid from relations)
        or d.classoid = 'pg_proc'::regclass and d.objoid in (select oid from functions)
        or d.classoid = 'pg_type'::regclass and d.objoid in (select oid from types)
    $$;

reset role;
