-- Who is named by nothing that is left was looked for once for each person, and each time in all entries of the space.
-- The rest is as it was.

set local role quipu_owner;

create or replace function core.take_out(gone bigint[]) returns void
    language plpgsql volatile
    as $$
declare
    here constant integer := core.current_space();
    people integer[];
begin
    update core.recall_terms t set entries = t.entries - g.entries
    from (
        select term, count(*) as entries
        from core.recall_entries
        cross join lateral unnest(terms) as u (term)
        where space_id = here and id = any(gone)
        group by term
    ) g
    where t.space_id = here and t.term = g.term;

    delete from core.recall_terms
    where space_id = here and entries = 0 and term = any(array(
        select unnest(terms) from core.recall_entries where space_id = here and id = any(gone)));

    delete from core.recall_postings p
    using (select id, unnest(terms) as term from core.recall_entries where space_id = here and id = any(gone)) t
    where p.space_id = here and p.term = t.term and p.entry_id = t.id;

    with removed as (
        delete from core.recall_entries where space_id = here and id = any(gone) returning speaker, owner
    )
    select array_agg(distinct person) into people
    from removed cross join lateral (values (speaker), (owner)) as p (person)
    where person > 0;

    -- After their entries: whoever makes vectors for an entry holds it meanwhile, and is through by now.
    delete from core.recall_vectors where space_id = here and entry_id = any(gone);

    with touched as materialized (
        select distinct g.id >> 24 as id from unnest(gone) as g (id) where g.id > 0
    ), left_over as materialized (
        select t.id, l.entries, l.tokens, l.speakers, l.with_assistant
        from touched t
        cross join lateral (
            select count(*) as entries, sum(tokens) as tokens, bool_or(not by_user) as with_assistant,
                   coalesce(array_agg(distinct speaker) filter (where speaker > 0), '{}') as speakers
            from core.recall_entries
            where space_id = here and id between t.id << 24 and (t.id << 24) + 16777215
            offset 0
        ) l
    ), kept as (
        update core.recall_threads t
        set tokens = l.tokens, speakers = l.speakers, with_assistant = l.with_assistant
        from left_over l
        where t.space_id = here and t.id = l.id and l.entries > 0
    )
    delete from core.recall_threads t
    using left_over l
    where t.space_id = here and t.id = l.id and l.entries = 0;

    delete from core.recall_names
    where space_id = here and id = any(people)
        and id not in (
            select speaker from core.recall_entries where space_id = here
            union all
            select owner from core.recall_entries where space_id = here
        );
end
$$;

reset role;
