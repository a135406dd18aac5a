-- Views over the index that show each agent its own vectors get columns of another type for one migration of
-- tables, and CREATE OR REPLACE VIEW cannot do that to a view that is there. They step aside and come back in
-- tables/0008, so that what agents made of them stays.

do $$
declare
    v record;
begin
    for v in
        select distinct n.nspname, c.relname
        from pg_depend d
        join pg_rewrite w on w.oid = d.objid
        join pg_class c on c.oid = w.ev_class
        join pg_namespace n on n.oid = c.relnamespace
        where d.classid = 'pg_rewrite'::regclass and d.refclassid = 'pg_class'::regclass
            and d.refobjid = 'core.recall_entries'::regclass and c.relkind = 'v' and c.relname = 'embeddings'
            and c.relowner = 'quipu_owner'::regrole
    loop
        execute format('alter view %I.embeddings rename to quipu_embeddings_aside', v.nspname);
    end loop;
end
$$;
