-- name: rests: whether a backend waits for its client: null where there is none that we may look at
select wait_event in ('ClientRead', 'ClientWrite') from pg_stat_activity where pid = %(pid)s
