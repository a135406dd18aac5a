-- name: carry_out: the rows of a table, a JSON object a line; in CSV with signs that no JSON has, nothing is escaped
copy (
    select row_to_json(r) from (select {columns} from {relation} t {sessions} where t.space_id = {space} order by {order}) r
) to stdout (format csv, quote e'\x01', delimiter e'\x02')

-- name: plain: a column as it is
t.{column}

-- name: weak: a reference, where it leads to a row that is seen
(select o.id from {relation} o where o.space_id = t.space_id and o.id = t.{column}) as {column}

-- name: session: the number of a session in the place of its uuid
s.id as {column}

-- name: sessions: the sessions of such a column
left join {relation} s on s.space_id = {space} and s.uid = t.{column}

-- name: as_is: the order of a column that is no text
t.{column}

-- name: by_bytes: the order of a text, which must not depend on the database
t.{column} collate "C"

-- name: json_nulls: the names of columns whose value is the null of JSON, which a record cannot tell from none
nullif(array_remove(array[{columns}], null), '{{}}') as json_nulls

-- name: json_null: the name of such a column
case when t.{column} = 'null'::jsonb then {name} end

-- name: carry_in: rows of a table from an array of JSON objects
insert into {table} (space_id, {columns}) overriding system value
select {space}, {values}
from jsonb_array_elements(%(lines)s::jsonb) with ordinality a (line, number)
cross join lateral jsonb_populate_record(null::{table}, a.line - {replaced}::text[]) r
order by a.number

-- name: value: a value as it was written
r.{column}

-- name: value_of_json: a JSON value that is always there
coalesce(r.{column}, 'null'::jsonb)

-- name: value_of_json_or_none: a JSON value that may be missing
case when (a.line -> 'json_nulls') ? {name} then 'null'::jsonb else r.{column} end

-- name: value_of_session: the uuid of a session by its number
(select s.uid from core.sessions s where s.space_id = {space} and s.id = (a.line ->> {name})::bigint)

-- name: value_later: none yet
null

-- name: status_before: of a reading of a session, so that the trigger knows whether one went well
case when r.extracted then 'done' else 'none' end

-- name: carry_later: columns that refer to rows further on
update {table} t set ({columns}) = row({values})
from jsonb_array_elements(%(lines)s::jsonb) a (line)
cross join lateral jsonb_populate_record(null::{table}, a.line) r
where t.space_id = {space} and {same} and num_nonnulls({values}) > 0

-- name: same: of a key
t.{column} = r.{column}

-- name: has_rows: whether a table has rows of the space
select exists (select from {table} where space_id = {space})
