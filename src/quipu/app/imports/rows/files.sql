-- name: views: names that are no tables; a view could run anything that it is made of
select name from sqlite_master where type = 'view'

-- name: columns: every table with its columns
select t.name as "table", c.name as "column"
from sqlite_master t, pragma_table_info(t.name) c
where t.type = 'table'
order by t.name, c.cid
