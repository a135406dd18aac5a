"""All that an agent must not change, as one value for each thing."""

from __future__ import annotations

import psycopg
from psycopg import sql

from quipu.kinds.tables.model import Schema

# Each row is a thing with its text. What is in the schema %(own)s is left out, but for what is protected.
_THINGS = """
select 'relation ' || c.oid::regclass::text,
    concat_ws('|', c.relowner, c.relacl, c.relkind, c.reloptions, c.relrowsecurity, c.relforcerowsecurity,
        (select string_agg(a.attname || a.atttypid || a.attnotnull || coalesce(a.attacl::text, ''),
            ',' order by a.attnum)
            from pg_attribute a where a.attrelid = c.oid and a.attnum > 0),
        (select string_agg(t.tgname || t.tgenabled::text, ',' order by t.tgname) from pg_trigger t
            where t.tgrelid = c.oid),
        (select string_agg(p.polname || coalesce(pg_get_expr(p.polqual, p.polrelid), ''), ',' order
            by p.polname)
            from pg_policy p where p.polrelid = c.oid), obj_description(c.oid))
from pg_class c
where c.relnamespace <> 'pg_toast'::regnamespace and c.relkind not in ('t', 'i')
    and (c.relnamespace::regnamespace::text <> %(own)s or c.relname in ('schema_registry', 'embeddings'))
union all
select 'function ' || p.oid, concat_ws('|', p.proname, p.proowner, p.proacl, p.prosecdef,
    p.proconfig, md5(p.prosrc))
from pg_proc p where p.pronamespace::regnamespace::text <> %(own)s
union all
select 'schema ' || n.nspname, concat_ws('|', n.nspowner, n.nspacl) from pg_namespace n where
    n.nspname !~ '^pg_(toast_)?temp'
union all
select 'role ' || r.rolname, concat_ws('|', r.rolsuper, r.rolinherit, r.rolcreaterole,
    r.rolcreatedb, r.rolcanlogin,
    r.rolreplication, r.rolbypassrls, r.rolconnlimit,
    case when r.rolname <> %(writer)s then (select a.rolpassword from pg_authid a where a.oid = r.oid) end)
from pg_roles r
union all
select 'member ' || m.roleid || ' ' || m.member, m.admin_option::text from pg_auth_members m
union all
select 'setting ' || s.setdatabase || ' ' || s.setrole, s.setconfig::text
from pg_db_role_setting s where pg_get_userbyid(s.setrole) <> %(writer)s
union all
select 'configured ' || name, setting from pg_settings where source in ('configuration file', 'database')
union all
select 'database ' || d.datname, concat_ws('|', d.datdba, d.datacl) from pg_database d where
    d.datname = current_database()
union all
select 'large objects', count(*)::text from pg_largeobject_metadata
union all
select 'extension ' || extname, extversion from pg_extension
union all
select 'event triggers', count(*)::text from pg_event_trigger
union all
select 'servers', count(*)::text from pg_foreign_server
union all
select 'publications', count(*)::text from pg_publication
union all
select 'languages', string_agg(lanname, ',' order by lanname) from pg_language
union all
select 'prepared', count(*)::text from pg_prepared_xacts
"""
_TABLES = """
select n.nspname, c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
where c.relkind = 'r' and n.nspname !~ '^(pg_|information_schema$)' and n.nspname <> %(own)s
order by 1, 2
"""
_ROWS = (
    "select count(*)::text || md5(coalesce(string_agg(t::text, chr(10) order by t::text), '')) from {} t{}"
)


def fingerprint(url: str, own: Schema) -> dict[str, str]:
    """What the agent of ``own`` must not change: structure, rights, roles, settings, and the rows
    of others."""
    given = {"own": own.schema_name, "writer": own.writer}
    with psycopg.connect(url, autocommit=True) as conn:
        seen = {name: text or "" for name, text in conn.execute(_THINGS.encode(), given)}
        for schema, table in conn.execute(_TABLES.encode(), given).fetchall():
            mine = ""
            if (schema, table) == ("tables", "schemas"):
                mine = " where t.writer <> %(writer)s"
            elif (schema, table) in {("tables", "relations"), ("tables", "passwords")}:
                mine = " where t.schema_id <> (select id from tables.schemas where writer = %(writer)s)"
            query = sql.SQL(_ROWS).format(sql.Identifier(schema, table), sql.SQL(mine))  # pyright: ignore[reportArgumentType]
            row = conn.execute(query, given if mine else None).fetchone()
            seen[f"rows of {schema}.{table}"] = "" if row is None else row[0]
    return seen
