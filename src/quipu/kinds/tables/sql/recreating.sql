-- name: parts: what the catalogue knows of a table, in the order in which it is made again
select kind, of, name, definition, statement from tables.parts_of(%(relation)s::oid)
