-- name: chroma_collections: the collections of a database
select id, name from collections order by name, id

-- name: chroma_segments: the part of a collection that holds texts and metadata, and how much of the log it has
select s.id, m.seq_id
from segments s
left join max_seq_id m on m.segment_id = s.id
where s.collection = :collection and s.scope = 'METADATA'

-- name: chroma_records: records with a row for each of their fields, but those that the log changes
select e.id as number, e.embedding_id as name, m.*
from embeddings e
left join embedding_metadata m on m.id = e.id
where e.segment_id = :segment
    and e.embedding_id not in (
        select id from embeddings_queue
        where topic like '%' || :collection and seq_id > :seen and id is not null
    )
order by e.id, m.key

-- name: chroma_record: one record with a row for each of its fields
select e.id as number, e.embedding_id as name, m.*
from embeddings e
left join embedding_metadata m on m.id = e.id
where e.segment_id = :segment and e.embedding_id = :name
order by m.key

-- name: chroma_lists: the fields of a record that are lists, with a row for each element
select * from embedding_metadata_array where id = :number order by key, rowid

-- name: chroma_log: what was written to a collection and is in its records not yet, record by record
select seq_id, operation, id as name, metadata, min(seq_id) over (partition by id) as begun
from embeddings_queue
where topic like '%' || :collection and seq_id > :seen
order by begun, id, seq_id
