-- Who writes by hand and has entered no space is told so, and how: not of a setting or a null that they do not know.

set local role quipu_owner;

create function core.refuse_unentered() returns integer
    language plpgsql stable
    as $$
begin
    raise exception 'the space was not entered'
        using errcode = 'object_not_in_prerequisite_state',
            hint = 'Before it, in the same transaction: select core.enter(''NAME of the space'');';
end
$$;

create function core.entered() returns integer
    language sql stable
    return coalesce(core.current_space(), core.refuse_unentered());
comment on function core.entered() is 'The space of this transaction; without one an error that says how to enter one.';

create function core.ask_for_space() returns trigger
    language plpgsql stable
    as $$
begin
    perform core.entered();
    return case lower(tg_op) when 'delete' then old else new end;
end
$$;
comment on function core.ask_for_space() is 'For a view, before the trigger that writes (in the order of their names).';

create function core.ask_for_space_in(schema text) returns void
    language plpgsql volatile
    as $$
declare
    place regclass;
    events text;
begin
    for place in
        select adrelid::regclass from pg_attrdef d
        join pg_class c on c.oid = d.adrelid and c.relnamespace = schema::regnamespace
        where pg_get_expr(d.adbin, d.adrelid) = 'core.current_space()'
    loop
        execute format('alter table %s alter column space_id set default core.entered()', place);
    end loop;
    for place, events in
        select t.tgrelid::regclass, concat_ws(' or ', case when bit_or(t.tgtype) & 4 > 0 then 'insert' end,
            case when bit_or(t.tgtype) & 8 > 0 then 'delete' end, case when bit_or(t.tgtype) & 16 > 0 then 'update' end)
        from pg_trigger t
        join pg_class c on c.oid = t.tgrelid and c.relkind = 'v' and c.relnamespace = schema::regnamespace
        where t.tgtype & 64 > 0
        group by t.tgrelid
    loop
        execute format('create trigger ask_for_space instead of %s on %s for each row'
            ' execute function core.ask_for_space()', events, place);
    end loop;
end
$$;
comment on function core.ask_for_space_in(text) is 'Has rows of a schema ask for the space that was entered, and its views as well.';
revoke execute on function core.ask_for_space_in(text) from public;

reset role;
