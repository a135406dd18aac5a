-- name: has_role: whether a role is there
select to_regrole(%(role)s) is not null

-- name: has_database: whether the database is there
select exists (select from pg_database where datname = %(database)s)
