-- name: begin: take a request on, unless it is being done or was answered; a row if it is ours to do
insert into core.kept_answers (space_id, caller, key_sha256, request_sha256, begun_at)
values (%(space)s, %(caller)s, %(key)s, %(sha256)s, %(now)s)
on conflict (space_id, caller, key_sha256) do update
set request_sha256 = excluded.request_sha256, begun_at = excluded.begun_at, status = null, headers = null, body = null
where kept_answers.begun_at < %(expired)s
    or (kept_answers.status is null and kept_answers.begun_at < %(abandoned)s)
    or (kept_answers.status is null and kept_answers.begun_at > %(now)s + interval '5 minutes') -- the clock was set back
returning true

-- name: find: what is known of a request
select request_sha256, status, headers, body
from core.kept_answers
where space_id = %(space)s and caller = %(caller)s and key_sha256 = %(key)s

-- name: keep: keep the answer; where an erasure took the request, it may repeat what was erased
update core.kept_answers set status = %(status)s, headers = %(headers)s, body = %(body)s
where space_id = %(space)s and caller = %(caller)s and key_sha256 = %(key)s

-- name: release: give a request back that failed, so that it may be tried again
delete from core.kept_answers
where space_id = %(space)s and caller = %(caller)s and key_sha256 = %(key)s and status is null

-- name: drop_old: drop what was begun before, in every space
select core.drop_kept_answers(%(before)s)

-- name: drop_of_space: drop all of the space
delete from core.kept_answers where space_id = %(space)s
