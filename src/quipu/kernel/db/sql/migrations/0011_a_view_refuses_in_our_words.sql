-- What a view takes no statement for is refused with the way out, not with PostgreSQL's advice to write a trigger.

set local role quipu_owner;

create function core.refuse_statement() returns trigger
    language plpgsql volatile set search_path = pg_catalog, pg_temp
    as $$
begin
    raise exception 'SQL cannot % rows of %.%', lower(tg_op), tg_table_schema, tg_table_name
        using errcode = 'feature_not_supported', hint = tg_argv[0];
end
$$;
comment on function core.refuse_statement() is
    'For a view, in place of what it does not take: refuses a row; its argument is the hint.';

reset role;
