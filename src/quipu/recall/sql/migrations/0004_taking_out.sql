-- Taking entries out of the index, in one place for all who do: an erasure, a kind whose value no longer
-- stands, and a view through which a whole session is deleted.

set local role quipu_owner;

create function core.take_out(gone bigint[]) returns void
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

    delete from core.recall_names n
    where n.space_id = here and n.id = any(people)
        and not exists (select from core.recall_entries e where e.space_id = here and e.speaker = n.id)
        and not exists (select from core.recall_entries e where e.space_id = here and e.owner = n.id);
end
$$;
comment on function core.take_out(bigint[]) is
    'Takes entries of the space that was entered out of the index; what their neighbours inherited and the counters of the space stay as they were.';

create function core.recount_space() returns void
    language sql volatile
    as $$
    update core.spaces s set
        (entries, tokens, mixed_tokens, languages) = (
            select count(*), coalesce(sum(tokens), 0), coalesce(sum(mixed_tokens::float8), 0),
                   coalesce(array_agg(distinct language order by language), '{}')
            from core.recall_entries where space_id = core.current_space()),
        threads = (select count(*) from core.recall_threads where space_id = core.current_space()),
        version = version + 1,
        epoch = epoch + 1
    where s.id = core.current_space()
    $$;
comment on function core.recount_space() is
    'The counters of what is left after an erasure; every process drops its copy of the space.';

reset role;
