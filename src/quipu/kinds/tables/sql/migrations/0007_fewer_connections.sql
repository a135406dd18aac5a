-- A login of an agent has at most 6 connections at a time: together they must not take the server from others.
do $$
declare
    login text;
begin
    execute replace(pg_get_functiondef('tables.found'::regproc), 'connection limit 16', 'connection limit 6');
    for login in select unnest(array[writer, reader]) from tables.schemas loop
        begin
            execute format('alter role %I connection limit 6', login);
        exception when insufficient_privilege then
            raise notice 'the login % keeps its limit: another account made it', login;
        end;
    end loop;
end
$$;
