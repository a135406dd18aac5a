-- What an agent's own SQL granted, so that a snapshot keeps it and a restore brings it back.

set role quipu_owner;

-- Each right once, whoever granted it: [who, role, number of the role, privilege, whether it may be passed on].
create function tables.told_rights(acl aclitem[], writer oid, reader oid) returns jsonb
    language sql stable set search_path = pg_catalog, pg_temp
    as $$
    select coalesce(jsonb_agg(jsonb_build_array(r.who, r.role, r.number, r.privilege, r.passed_on)
        order by r.who, r.role, r.privilege), '[]')
    from (
        select w.who, case when w.who = 'role' then pg_get_userbyid(x.grantee) else '' end as role,
            case when w.who = 'role' then x.grantee::bigint else 0 end as number,
            lower(x.privilege_type) as privilege, bool_or(x.is_grantable) as passed_on
        from aclexplode(case when cardinality(acl) > 0 then acl end) x  -- which refuses an empty one
        cross join lateral (select case x.grantee when 0 then 'public' when writer then 'writer'
            when reader then 'reader' else 'role' end as who) w
        group by 1, 2, 3, 4
    ) r
    $$;
revoke execute on function tables.told_rights(aclitem[], oid, oid) from public;

create function tables.own_rights()
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
    $$;
comment on function tables.own_rights() is
    'What roles may do with the objects of the writer that is logged in, beside what is usual of each.';

reset role;
