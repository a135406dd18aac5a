-- name: tables: the tables of an SQLite file
select name from sqlite_master where type = 'table'

-- name: rows: every value of a table, by its quoted name
select * from {table}
