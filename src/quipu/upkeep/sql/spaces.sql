-- name: count_sessions: how many sessions a space holds
select count(*) from core.sessions where space_id = %(space)s

-- name: count_by_kind_and_day: how many memories of each kind a space holds, by when they were recorded and happened
select kind, (recorded_at at time zone 'UTC')::date as recorded_on, (happened_at at time zone 'UTC')::date as happened_on,
       count(*) as entries
from core.recall_entries where space_id = %(space)s
group by kind, recorded_on, happened_on
