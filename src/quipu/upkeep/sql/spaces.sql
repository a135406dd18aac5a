-- name: count_sessions: how many sessions a space holds
select count(*) from core.sessions where space_id = %(space)s
