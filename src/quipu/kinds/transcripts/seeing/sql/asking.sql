-- name: issue_ticket: let a query see this space for a while
with expired as (
    delete from transcripts.tickets where space_id = %(space)s and expires_at < now()
)
insert into transcripts.tickets (space_id, digest, expires_at)
values (%(space)s, sha256(convert_to(%(ticket)s, 'UTF8')), now() + make_interval(secs => %(seconds)s::float8))

-- name: take_ticket: end that
delete from transcripts.tickets where space_id = %(space)s and digest = sha256(convert_to(%(ticket)s, 'UTF8'))

-- name: present_ticket: on the connection of a query, before it: which space, by what right, how long at most
select set_config('quipu.space_id', %(space)s::text, false), set_config('quipu.ticket', %(ticket)s::text, false),
    set_config('statement_timeout', %(milliseconds)s::text, false)

-- name: hold_reader: one at a time gives the role of queries a password
select pg_advisory_lock(7310522011)

-- name: release_reader: the next one may
select pg_advisory_unlock(7310522011)

-- name: reader_password: the password of the role of queries, as a SCRAM secret; null takes it away
select transcripts.reader_password(%(secret)s::text)
