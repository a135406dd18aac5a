-- name: note_export: note a file that is handed out
insert into core.exports (space_id, id, kind, sha256, bytes, written_at)
values (%(space)s, %(id)s, %(kind)s, %(sha256)s, %(bytes)s, %(written_at)s)

-- name: exports_of_space: files that were handed out of the space of the transaction, oldest first
select id::text, kind, sha256, bytes, written_at from core.exports where space_id = %(space)s
order by written_at, id
