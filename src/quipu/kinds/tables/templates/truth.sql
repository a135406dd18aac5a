-- name: rows_by_key: fields of rows with these keys
select {key}, {shown}
from (select * from unnest({given}) as u ({names}) offset 0) v
join {table} t on {same}

-- name: rows_by_text: the same, where keys cannot be read as what they are now
select {key}, {shown} from {table} t where {key} = any($1::text[])

-- name: all_rows: hashes of the fields of all rows
declare all_rows no scroll cursor for select {key}, {hashes} from {table} t

-- name: next_rows: some of them
fetch forward {number} from all_rows

-- name: hash: of a field, nothing where it has no text
case when {text} <> '' then encode(sha256(convert_to(pg_catalog.left({text}, {most}), 'UTF8')), 'hex') else '' end
