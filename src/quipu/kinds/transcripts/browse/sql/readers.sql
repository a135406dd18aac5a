-- name: hold_readers: logins of readers are made one after the other
select pg_advisory_xact_lock(7310522011)

-- name: enter: as the owner, see one space
select id from core.enter(%(name)s::text)

-- name: reader: the login that a space has for SQL of readers, and its password
select role, password from transcripts.readers where space_id = %(space)s

-- name: make_reader: give the space that was entered a login for SQL of readers, or a new password to the one it has
select transcripts.make_reader(%(role)s::text, %(secret)s::text, %(password)s::text)
