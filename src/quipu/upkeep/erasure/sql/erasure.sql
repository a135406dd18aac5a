-- name: write_receipt: prove an erasure
insert into core.erasures (space_id, session_hash, user_hash, message_hash, counts, erased_at)
values (%(space)s, %(session_hash)s, %(user_hash)s, %(message_hash)s, %(counts)s, %(erased_at)s)
returning id::text

-- name: remove_space: forget that the space was there
delete from core.spaces where id = %(space)s
