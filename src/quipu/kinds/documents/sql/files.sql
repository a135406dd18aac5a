-- name: standing_files: documents below a path, and what is known of the files of which they were written
select place, key, metadata ->> 'file' as file, metadata ->> 'sha256' as sha256, user_name as "user", redacted,
    coalesce(metadata -> 'verbatim' = 'true', false) as verbatim
from documents.documents
where space_id = %(space)s and place >= %(first)s and place < %(behind)s
    and (expires_at is null or expires_at > %(now)s)

-- name: rename_files: give documents of files another place, with what is known of the files now
update documents.documents d set place = g.to_place, key = g.to_key,
    metadata = d.metadata || jsonb_build_object('file', g.file, 'media_type', g.media_type),
    updated_at = greatest(d.updated_at, %(now)s)
from unnest(%(places)s::text[], %(keys)s::text[], %(to_places)s::text[], %(to_keys)s::text[], %(files)s::text[],
    %(media_types)s::text[]) as g (place, key, to_place, to_key, file, media_type)
where d.space_id = %(space)s and d.place = g.place and d.key = g.key
