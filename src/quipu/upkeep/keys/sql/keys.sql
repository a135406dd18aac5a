-- name: create: a new key; only the owner of the database may
insert into core.api_keys (id, name, space, user_name, level, requests_per_minute, token_sha256, created_at)
values (%(id)s, %(name)s, %(space)s, %(user)s, %(level)s, %(requests_per_minute)s, %(token_sha256)s, %(created_at)s)

-- name: list: keys, the newest first; of one space, or of all and for all
select id, name, space, user_name as user, level, requests_per_minute, created_at, last_used_at, revoked_at
from core.api_keys
where %(space)s::text is null or space = %(space)s
order by created_at desc, id

-- name: get: one key by its id, of one space or of any
select id, name, space, user_name as user, level, requests_per_minute, created_at, last_used_at, revoked_at
from core.api_keys
where id = %(id)s and (%(space)s::text is null or space = %(space)s)

-- name: revoke: end a key, of one space or of any; what it is then
update core.api_keys set revoked_at = coalesce(revoked_at, %(at)s)
where id = %(id)s and (%(space)s::text is null or space = %(space)s)
returning id, name, space, user_name as user, level, requests_per_minute, created_at, last_used_at, revoked_at

-- name: find: one key by its id, with the hash of its token
select id, name, space, user_name as user, level, requests_per_minute, created_at, last_used_at, revoked_at, token_sha256
from core.find_api_key(%(id)s)

-- name: count: how many keys open anything
select core.count_api_keys()

-- name: touch: note when keys were last used
select core.touch_api_keys(%(ids)s, %(at)s)

-- name: count_of_space: how many keys the space of the transaction has
select core.count_api_keys_of_space()

-- name: drop_of_space: forget the keys of the space of the transaction
select core.drop_api_keys_of_space()

-- name: count_of_person: how many keys of the space are bound to a user
select core.count_api_keys_of_person(%(user)s)

-- name: drop_of_person: forget the keys that are bound to a user
select core.drop_api_keys_of_person(%(user)s)
