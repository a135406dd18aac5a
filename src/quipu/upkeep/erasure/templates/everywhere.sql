-- name: count: how many rows of a table have a name in which column
select {counts} from {table} t

-- name: of_space: only those of the space of the transaction
select {counts} from {table} t where space_id = (select core.current_space())

-- name: counted: rows that have a name in a column
pg_catalog.count(*) filter (where {held})

-- name: held_text: a text has a name in it
t.{column}::text operator(pg_catalog.~) {pattern}

-- name: held_json: a document or a list has a name in it
pg_catalog.to_jsonb(t.{column})::text operator(pg_catalog.~) {pattern}

-- name: drop_of_space: take out rows that have a name in them; their entries in the index, if they have any
delete from {table} t where space_id = (select core.current_space()) and ({held}) returning {entry}

-- name: no_entry: of tables that are not in the index
null::bigint

-- name: entry: of tables that are
t.entry_id

-- name: redact_of_space: put a mark in the place of names
update {table} t set {changes} where space_id = (select core.current_space()) and ({held})

-- name: redact: put a mark in the place of names
update {table} t set {changes} where {held}

-- name: drop: rows of which a value is a name
delete from {table} t where {held}

-- name: is_text: a text is a name
t.{column}::text operator(pg_catalog.~) {whole}

-- name: is_json: a text within a document or a list is a name
exists (select from pg_catalog.jsonb_path_query(pg_catalog.to_jsonb(t.{column}), 'strict $.**') v (value)
    where pg_catalog.jsonb_typeof(v.value) = 'string' and (v.value #>> '{{}}') operator(pg_catalog.~) {whole})

-- name: change_text: a column with the mark
{column} = pg_catalog.regexp_replace(t.{column}::text, {pattern}, {mark}, 'g')

-- name: change_other: a column with the mark, in its own type
{column} = pg_catalog.regexp_replace(t.{column}::text, {pattern}, {mark}, 'g')::{type}

-- name: checkpoint: write what is changed in memory to the data files
checkpoint
