-- What SQL writes to a view takes effect or is refused: a trigger of the view writes what it can, this one looks.

set local role quipu_owner;

-- Arguments: the column by which the row is found again; a hint; columns that an insert may name in vain.
create function core.refuse_unwritten() returns trigger
    language plpgsql volatile set search_path = pg_catalog, pg_temp
    as $$
declare
    place constant text := format('%I.%I', tg_table_schema, tg_table_name);
    asked constant jsonb := to_jsonb(new);
    before constant jsonb := case lower(tg_op) when 'update' then to_jsonb(old) else '{}' end;
    here constant jsonb := coalesce(before -> 'space_id', to_jsonb(core.current_space()));
    shown jsonb;
    unwritten text;
begin
    execute format('select to_jsonb(v) from %s v where v.%I = %L and coalesce(to_jsonb(v) -> %L, $1) = $1', place,
            tg_argv[0], coalesce(before ->> tg_argv[0], asked ->> tg_argv[0]), 'space_id')
        into shown using here;
    select string_agg(a.key, ', ' order by a.key) into unwritten
    from jsonb_each(asked) a
    where a.value <> coalesce(before -> a.key, 'null')
        and case jsonb_typeof(a.value) when 'number'
            then abs(a.value::float8 - nullif(shown -> a.key, 'null')::float8) < 1e-9 end is not true
        and a.value is distinct from shown -> a.key
        and (lower(tg_op) = 'update' or a.key <> all(string_to_array(tg_argv[2], ', ')));
    if unwritten is not null then
        raise exception '% of % cannot be changed so', unwritten, place
            using errcode = 'feature_not_supported', hint = tg_argv[1];
    end if;
    return new;
end
$$;
comment on function core.refuse_unwritten() is
    'For a view, after the trigger that writes: refuses what the row does not show although it was asked for.';

reset role;
