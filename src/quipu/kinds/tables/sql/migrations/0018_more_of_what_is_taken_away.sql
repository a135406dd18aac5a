-- A restore tells of roles of policies, of publications and of what others made of the tables. A statement also takes
-- away what says for whom a policy is and of which command, more comments, default privileges, statistics, options.

set role quipu_owner;

create or replace function tables.own_rights()
    returns table (kind text, names text[], args text[], ahead text, called text, rights jsonb, usual jsonb)
    language sql stable security definer set search_path = pg_catalog, pg_temp set row_security = on
    as $$
    with own as (
        select s.schema_name, n.oid as schema, n.nspacl, n.nspowner, w.oid as writer, r.oid as reader
        from tables.schemas s
        join pg_namespace n on n.nspname = s.schema_name
        join pg_roles w on w.rolname = s.writer
        join pg_roles r on r.rolname = s.reader
        where s.writer = session_user
    ),
    relations as (
        select c.*, case c.relkind when 'S' then 'sequence' else 'table' end as called
        from own o join pg_class c on c.relnamespace = o.schema and c.relowner = o.writer
        where c.relkind in ('r', 'p', 'v', 'm', 'f', 'S')
    ),
    -- What the reader may read is given to it again at the end of each call, so it is usual of all relations.
    objects (kind, names, args, ahead, called, acl, usual, is_read) as (
        select c.called, array[c.relname::text], '{}'::text[], '', format('%s %I.%I', c.called, o.schema_name, c.relname),
            c.relacl, acldefault(case c.relkind when 'S' then 's' else 'r' end::"char", c.relowner), true
        from own o cross join relations c
        union all
        select 'column', array[c.relname::text, a.attname::text], '{}', '', format('table %I.%I', o.schema_name, c.relname),
            a.attacl, '{}', false
        from own o cross join relations c
        join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        where c.relkind <> 'S'
        union all
        select 'routine', array[p.proname::text], array(
                select format_type(t.type, null) from unnest(p.proargtypes) with ordinality t (type, place)
                order by t.place),
            '', format('routine %I.%I(%s)', o.schema_name, p.proname, pg_get_function_identity_arguments(p.oid)),
            p.proacl, acldefault('f', p.proowner), false
        from own o join pg_proc p on p.pronamespace = o.schema and p.proowner = o.writer
        union all
        select 'type', array[t.typname::text], '{}', '', format('type %I.%I', o.schema_name, t.typname),
            t.typacl, acldefault('T', t.typowner), false
        from own o join pg_type t on t.typnamespace = o.schema and t.typowner = o.writer
        left join pg_class c on c.oid = t.typrelid
        where t.typtype in ('e', 'd', 'r', 'c') and coalesce(c.relkind, 'c') = 'c'
        union all
        select 'default', array[w.place, k.called], '{}',
            'alter default privileges ' || case w.place when '' then '' else format('in schema %I ', o.schema_name) end,
            k.called, d.defaclacl, case w.place when '' then acldefault(k.type, o.writer) else '{}' end,
            w.place <> '' and k.called in ('tables', 'sequences')
        from own o
        cross join (values ('tables', 'r'::"char", 'r'::"char"), ('sequences', 'S', 's'), ('routines', 'f', 'f'),
            ('types', 'T', 'T')) k (called, code, type)
        cross join lateral (values ('', 0::oid), ('schema', o.schema)) w (place, namespace)
        left join pg_default_acl d on d.defaclrole = o.writer and d.defaclnamespace = w.namespace
            and d.defaclobjtype = k.code
        union all
        select 'schema', '{}', '{}', '', format('schema %I', o.schema_name), array(
            select x from unnest(o.nspacl) x, aclexplode(array[x]) e
            where e.grantee not in (o.nspowner, o.writer, o.reader)), '{}', false
        from own o
    )
    select b.kind, b.names, b.args, b.ahead, b.called, tables.told_rights(
            coalesce(b.acl, b.usual) || case when b.is_read then r.read end, o.writer, o.reader),
        tables.told_rights(b.usual || case when b.is_read then r.read end, o.writer, o.reader)
    from objects b cross join own o
    cross join lateral (select array[makeaclitem(o.reader, o.writer, 'select', false)] as read) r
    union all
    select 'policy', array[c.relname::text, p.polname::text], '{}', '', '', (
            select jsonb_agg(jsonb_build_array(w.who, case when w.who = 'role' then pg_get_userbyid(g.role) else '' end,
                case when w.who = 'role' then g.role::bigint else 0 end, 'policy', false) order by g.role)
            from unnest(p.polroles) g (role)
            cross join lateral (select case g.role when 0 then 'public' when o.writer then 'writer'
                when o.reader then 'reader' else 'role' end as who) w),
        '[["public", "", 0, "policy", false]]'
    from own o cross join relations c join pg_policy p on p.polrelid = c.oid
    union all
    -- What a publication has of the schema goes with it, and only the publication's owner gives it again.
    select k.kind, k.names, '{}', '', k.called, jsonb_agg(jsonb_build_array('publication', p.pubname, 0, 'publication', false)
        order by p.pubname), '[]'
    from (
        select 'published' as kind, array[c.relname::text] as names, '' as called, r.prpubid as publication
        from relations c join pg_publication_rel r on r.prrelid = c.oid
        union all
        select 'published', '{}', '', r.pnpubid from own o join pg_publication_namespace r on r.pnnspid = o.schema
    ) k
    join pg_publication p on p.oid = k.publication
    group by 1, 2, 5
    union all
    -- What somebody else made of it goes along as well.
    select distinct 'dependant', array[pg_describe_object('pg_class'::regclass, v.oid, 0)], '{}'::text[], '', '', '[]'::jsonb,
        '[]'::jsonb
    from own o cross join relations c
    join pg_depend d on d.refclassid = 'pg_class'::regclass and d.refobjid = c.oid and d.deptype = 'n'
    left join pg_rewrite u on d.classid = 'pg_rewrite'::regclass and u.oid = d.objid
    left join pg_constraint k on d.classid = 'pg_constraint'::regclass and k.oid = d.objid and k.contype = 'f'
    join pg_class v on v.oid = coalesce(u.ev_class, k.conrelid) and v.relnamespace <> o.schema
    $$;

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
    select 'replica identity of ' || pg_describe_object('pg_class'::regclass, c.oid, 0),
        concat_ws(' ', c.relreplident, (select i.indexrelid::regclass from pg_index i
            where i.indrelid = c.oid and i.indisreplident)), 0, 0
    from relations c where c.relkind in ('r', 'p')
    union all
    select 'options of ' || pg_describe_object('pg_class'::regclass, c.oid, 0), array_to_string(c.reloptions, ' '), 0, 0
    from relations c where c.relkind in ('r', 'p', 'v', 'm')
    union all
    select format('publication %s of %s', p.pubname, pg_describe_object('pg_class'::regclass, c.oid, 0)), null, 0, 0
    from relations c join pg_publication_rel r on r.prrelid = c.oid join pg_publication p on p.oid = r.prpubid
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
        select pg_describe_object('pg_type'::regclass, t.oid, 0), coalesce(t.typacl, acldefault('T', t.typowner)), t.typowner
        from types t where t.typelem = 0 and t.typtype in ('e', 'd', 'r')
        union all
        select w.place || k.called, coalesce(d.defaclacl, case w.place when 'new ' then acldefault(k.type, r.oid) end), r.oid
        from own join pg_roles r on r.rolname = session_user
        cross join (values ('tables', 'r'::"char", 'r'::"char"), ('sequences', 'S', 's'), ('routines', 'f', 'f'),
            ('types', 'T', 'T')) k (called, code, type)
        cross join lateral (values ('new ', 0::oid), ('new own ', own.schema)) w (place, namespace)
        left join pg_default_acl d on d.defaclrole = r.oid and d.defaclnamespace = w.namespace
            and d.defaclobjtype = k.code
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
        concat(p.polcmd, p.polpermissive, array(select r.role::regrole::text from unnest(p.polroles) r (role) order by 1),
            pg_get_expr(p.polqual, p.polrelid), ' check ', pg_get_expr(p.polwithcheck, p.polrelid)), 0, 0
    from relations c join pg_policy p on p.polrelid = c.oid
    union all
    select pg_describe_object('pg_proc'::regclass, p.oid, 0),
        md5(concat(p.prosrc, pg_get_function_sqlbody(p.oid), p.prosecdef, p.proconfig, p.prolang, p.provolatile,
            p.proisstrict, p.proleakproof, p.proparallel)), 0, 0
    from functions p
    union all
    select pg_describe_object('pg_type'::regclass, t.oid, 0),
        t.typdefault, 0, 0
    from types t where t.typelem = 0 and t.typtype in ('e', 'd', 'r')
    union all
    select format('value %L of %s', e.enumlabel, pg_describe_object('pg_type'::regclass, t.oid, 0)), null, 0, 0
    from types t join pg_enum e on e.enumtypid = t.oid
    union all
    select pg_describe_object('pg_statistic_ext'::regclass, e.oid, 0), concat(pg_get_statisticsobjdef(e.oid), e.stxstattarget), 0, 0
    from own join pg_statistic_ext e on e.stxnamespace = own.schema where pg_get_userbyid(e.stxowner) = session_user
    union all
    select pg_describe_object('pg_operator'::regclass, o.oid, 0), null, 0, 0
    from own join pg_operator o on o.oprnamespace = own.schema where pg_get_userbyid(o.oprowner) = session_user
    union all
    select pg_describe_object(o.class, o.oid, 0), o.state, 0, 0
    from (
        select 'pg_cast'::regclass as class, k.oid, null as state from pg_cast k
        where k.castsource in (select oid from types) or k.casttarget in (select oid from types)
            or k.castfunc in (select oid from functions)
        union all
        select 'pg_ts_config'::regclass, f.oid, concat(f.cfgparser, (
                select string_agg(concat_ws(' ', m.maptokentype, m.mapseqno, m.mapdict), ',' order by 1)
                from pg_ts_config_map m where m.mapcfg = f.oid))
        from own join pg_ts_config f on f.cfgnamespace = own.schema
        union all
        select 'pg_ts_dict'::regclass, d.oid, concat(d.dicttemplate, ' ', d.dictinitoption) from own join pg_ts_dict d on d.dictnamespace = own.schema
        union all
        select 'pg_collation'::regclass, l.oid, null from own join pg_collation l on l.collnamespace = own.schema
        union all
        select 'pg_conversion'::regclass, v.oid, null from own join pg_conversion v on v.connamespace = own.schema
    ) o
    union all
    select format('part %s of %s', h.inhrelid::regclass, h.inhparent::regclass), null, 0, 0
    from relations c join pg_inherits h on h.inhparent = c.oid where c.relkind in ('r', 'p')
    union all
    select 'comment of ' || pg_describe_object(d.classoid, d.objoid, d.objsubid), md5(d.description), 0, 0
    from (
        select 'pg_class'::regclass::oid as class, oid from relations
        union all
        select 'pg_proc'::regclass, oid from functions
        union all
        select 'pg_type'::regclass, oid from types
        union all
        select 'pg_constraint'::regclass, k.oid from own join pg_constraint k on k.connamespace = own.schema
        union all
        select 'pg_trigger'::regclass, t.oid from relations c join pg_trigger t on t.tgrelid = c.oid
        union all
        select 'pg_rewrite'::regclass, r.oid from relations c join pg_rewrite r on r.ev_class = c.oid
        union all
        select 'pg_policy'::regclass, p.oid from relations c join pg_policy p on p.polrelid = c.oid
        union all
        select 'pg_statistic_ext'::regclass, e.oid from own join pg_statistic_ext e on e.stxnamespace = own.schema
        union all
        select 'pg_operator'::regclass, o.oid from own join pg_operator o on o.oprnamespace = own.schema
        union all
        select 'pg_ts_config'::regclass, f.oid from own join pg_ts_config f on f.cfgnamespace = own.schema
        union all
        select 'pg_ts_dict'::regclass, f.oid from own join pg_ts_dict f on f.dictnamespace = own.schema
        union all
        select 'pg_collation'::regclass, l.oid from own join pg_collation l on l.collnamespace = own.schema
    ) o join pg_description d on d.classoid = o.class and d.objoid = o.oid
    $$;


reset role;
