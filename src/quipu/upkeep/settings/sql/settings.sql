-- name: set_for_all: keep a value for the whole database
insert into core.settings (name, value, changed_at) values (%(name)s, %(value)s, %(now)s)
on conflict (name) do update set value = excluded.value, changed_at = excluded.changed_at

-- name: reset_for_all: forget the value of the whole database
delete from core.settings where name = %(name)s

-- name: set_for_space: keep a value for a space
insert into core.space_settings (space_id, name, value, changed_at)
values (%(space)s, %(name)s, %(value)s, %(now)s)
on conflict (space_id, name) do update set value = excluded.value, changed_at = excluded.changed_at

-- name: reset_for_space: forget the value of a space
delete from core.space_settings where space_id = %(space)s and name = %(name)s
