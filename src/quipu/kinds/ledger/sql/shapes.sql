-- name: keep_shape: write the shape of a key; nothing where others wrote one meanwhile
select ledger.keep_shape(%(space)s, %(pattern)s, %(namespace)s, %(scope)s, %(shape)s::jsonb, %(at)s, %(known)s)

-- name: shapes: the keys that programs registered in a space, and the shapes of their values
select pattern, namespace, scope, shape, version, registered_at from ledger.shapes where space_id = %(space)s order by pattern
