-- For a while (tables 0006 and 0007) the rows of a view embeddings came out of a function; tables 0008 drops such a
-- view and makes it anew, which PostgreSQL refuses where an agent made something of it. Say so before, with the way
-- out. Where that is behind, or never was, nothing happens.

do $$
declare
    standing text;
begin
    if to_regprocedure('tables.embeddings_of(integer, integer)') is null then
        return;
    end if;
    select string_agg(distinct coalesce(w.ev_class::regclass::text || ' ('
            || coalesce(nullif(pg_get_viewdef(w.ev_class), ''), 'a rule') || ')',
        pg_describe_object(d.classid, d.objid, d.objsubid)), '; ')
    into standing
    from pg_class v
    join pg_depend d on d.refclassid = 'pg_class'::regclass and d.refobjid = v.oid and d.deptype = 'n'
    left join pg_rewrite w on d.classid = 'pg_rewrite'::regclass and w.oid = d.objid
    where v.relkind = 'v' and v.relname = 'embeddings' and v.relowner = 'quipu_owner'::regrole
        and w.ev_class is distinct from v.oid;
    if standing is not null then
        raise exception using
            message = 'A view of an agent stands on its view embeddings, which has to be made anew: ' || standing,
            hint = 'Keep its definition, drop it as a superuser (quipu db psql: drop view NAME), start again, and have'
                ' the agent make it anew.';
    end if;
end
$$;
