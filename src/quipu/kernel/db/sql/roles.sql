-- name: groups: the roles that Quipu works as; nobody logs in as any of them
do $$
declare
    role text;
begin
    foreach role in array array['quipu_owner', 'quipu_app', 'quipu_relay', 'quipu_person', 'quipu_see', 'quipu_eraser'] loop
        if to_regrole(role) is null then
            execute format('create role %I nologin', role);
        end if;
    end loop;
end
$$;
grant quipu_app to quipu_eraser

-- name: has_login: whether the login is there
select to_regrole(%(login)s) is not null

-- name: has_database: whether the database is there
select exists (select from pg_database where datname = %(database)s)
