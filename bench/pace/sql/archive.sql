-- Messages as an import leaves them: in sessions of a thousand, waiting to be filed.

-- name: quick
set session_replication_role = replica;

-- name: space
insert into core.spaces (name) values (%(name)s) returning id;

-- name: sessions
insert into core.sessions (space_id, id, name, messages, started_at, last_at) overriding system value
select %(space)s, n, 'session-' || n, 1000, now() - interval '1 year', now() - interval '1 year' + interval '999 seconds'
from generate_series(1, %(sessions)s) n;

-- name: messages
insert into core.messages (space_id, id, session_id, external_id, role, speaker, user_name, happened_at, recorded_at, content)
select %(space)s, s << 24 | n, s, 'm-' || s || '-' || n, (array['user', 'assistant'])[1 + n %% 2], 'Ana', 'ana',
    now() - interval '1 year' + n * interval '1 second', now() - interval '1 year',
    'What was said as number ' || n || ' of session ' || s || ': the boat with the blue sail lies in the "harbour" of Lisbon.'
from generate_series(1, %(sessions)s::int8) s, generate_series(0, 999) n;

-- name: vacuum
vacuum analyze core.messages;

-- name: copied
create unlogged table public.copied (like core.messages including all);

-- name: copy_out
copy (select space_id, id, session_id, external_id, role, speaker, user_name, happened_at, recorded_at, redacted, content, item, metadata
    from core.messages order by id) to stdout;

-- name: copy_in
copy public.copied (space_id, id, session_id, external_id, role, speaker, user_name, happened_at, recorded_at, redacted, content, item, metadata)
    from stdin;
