-- name: mempalace_triples: the facts of a knowledge graph, with the names of what they are about
select t.*, s.name as subject_name, o.name as object_name
from triples t
left join entities s on s.id = t.subject
left join entities o on o.id = t.object
order by t.rowid

-- name: mempalace_entities: people and things of a knowledge graph
select * from entities order by rowid

-- name: mempalace_in_chroma: whether a database of Chroma is a palace
select exists (select 1 from collections where name like 'mempalace%') as found
