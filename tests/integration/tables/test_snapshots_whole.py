"""Whatever hangs on the tables of a schema is as it was when a snapshot is put back, or is told."""

from __future__ import annotations

import psycopg
import pytest
from tables_house import House

OBJECTS = (
    "create table boats (id int primary key, name text not null, length int, harbour text,"
    " constraint long check (length > 0)) with (fillfactor = 70)",
    "create table trips (id int primary key, boat int constraint of_boat references boats (id)"
    " deferrable initially"
    " deferred)",
    "create table logs (day date, said text) partition by range (day)",
    "create table logs_2026 partition of logs for values from ('2026-01-01') to ('2027-01-01')",
    "create table heirs (more text) inherits (boats)",
    "create type mood as enum ('calm')",
    "create type pair as (a int, b int)",
    "create domain level as int constraint above check (value > 0)",
    "create sequence tickets start 7 increment 2 cycle maxvalue 99 owned by boats.length",
    "create function stay() returns trigger language plpgsql as 'begin return new; end'",
    "create trigger staying before update on boats for each row execute function stay()",
    "create trigger always_on before insert on boats for each row execute function stay()",
    "create trigger asleep before delete on boats for each row execute function stay()",
    "create constraint trigger late after insert on trips deferrable initially deferred for each row"
    " execute function stay()",
    "create rule quiet as on delete to trips do instead nothing",
    "create policy seen on boats as restrictive for select to public, {reader} using (length < 100)",
    "create policy made on boats for insert to {writer} with check (length > 1)",
    "create view small with (security_barrier) as select name from boats where length < 10 with local"
    " check option",
    "create materialized view counted as select count(*) as boats from boats with no data",
    "create materialized view filled as select 1 as one",
    "create statistics together (ndistinct, dependencies) on name, length from boats",
    "create statistics lowered on lower(name) from boats",
    "create index by_name on boats (name) include (length) where length > 2",
    "create unique index as_one on boats (name, harbour) nulls not distinct",
    "create index clustered on trips (boat)",
    "create function total(int, int) returns int language sql immutable strict parallel safe cost 7 set"
    " work_mem = '1MB'"
    " as 'select $1 + $2'",
    "create aggregate summed (int) (sfunc = total, stype = int)",
    "create text search configuration plain (copy = simple)",
    "create text search dictionary words (template = simple, stopwords = english)",
    'create collation odd from pg_catalog."C"',
    "create operator <+> (function = total, leftarg = int, rightarg = int)",
    "do $$ begin alter table boats enable row level security; alter table boats alter name set statistics 77;"
    " alter table boats alter name set storage external; alter table boats alter name set (n_distinct = 5);"
    " alter table boats enable always trigger always_on; alter table boats disable trigger asleep;"
    " alter table trips disable rule quiet; alter table boats replica identity full;"
    " alter table trips replica identity nothing; alter table trips cluster on clustered;"
    " alter table boats add constraint later check (length < 1000) not valid;"
    " alter statistics together set statistics 55; alter table logs_2026 set unlogged; end $$",
    "alter type mood add value 'wild'",
    "comment on table boats is 'What floats.'",
    "comment on column boats.name is 'Painted on.'",
    "comment on column small.name is 'Of a view.'",
    "comment on column pair.a is 'Of a type.'",
    "comment on constraint long on boats is 'A length.'",
    "comment on constraint of_boat on trips is 'A reference.'",
    "comment on constraint above on domain level is 'Of a domain.'",
    "comment on constraint boats_pkey on boats is 'A key.'",
    "comment on trigger asleep on boats is 'It''s asleep.'",
    "comment on rule quiet on trips is 'A rule.'",
    "comment on policy seen on boats is 'A policy.'",
    "comment on index by_name is 'An index.'",
    "comment on statistics together is 'Statistics.'",
    "comment on sequence tickets is 'A sequence.'",
    "comment on view small is 'A view.'",
    "comment on materialized view counted is 'Counts.'",
    "comment on function total(int, int) is 'A function.'",
    "comment on aggregate summed(int) is 'An aggregate.'",
    "comment on operator <+> (int, int) is 'An operator.'",
    "comment on type mood is 'An enum.'",
    "comment on type pair is 'A composite.'",
    "comment on domain level is 'A domain.'",
    "comment on text search configuration plain is 'A configuration.'",
    "comment on text search dictionary words is 'A dictionary.'",
    "comment on collation odd is 'A collation.'",
)
WHOLE = """
    with own as (
        select n.oid as schema, n.nspname, s.writer, s.reader
        from tables.schemas s join pg_namespace n on n.nspname = s.schema_name
        where s.schema_name = %s),
    rel as (select c.* from own join pg_class c on c.relnamespace = own.schema
        where pg_get_userbyid(c.relowner) = own.writer)
    select what, replace(replace(said, own.writer, 'W'), own.reader, 'R') from own, lateral (
        select 'relation ' || relname, concat_ws(' ', relkind, relrowsecurity, relforcerowsecurity,
            relreplident, reloptions,
            relpersistence, relispopulated, case when relkind in ('v',
                'm') then pg_get_viewdef(oid) end) from rel
        union all
        select 'column ' || c.relname || '.' || a.attname, concat_ws(' ', format_type(a.atttypid,
            a.atttypmod), a.attnotnull,
            a.attstattarget, a.attstorage, a.attoptions, a.attcompression, a.attidentity, a.attgenerated,
                a.attislocal)
        from rel c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        union all
        select 'index ' || c.relname, concat_ws(' ', pg_get_indexdef(i.indexrelid), i.indisclustered,
            i.indisreplident)
        from rel c join pg_index i on i.indexrelid = c.oid
        union all
        select 'constraint ' || k.conname, concat_ws(' ', pg_get_constraintdef(k.oid), k.convalidated,
            k.condeferred)
        from own join pg_constraint k on k.connamespace = own.schema where k.conrelid = 0 or k.conrelid in
            (select oid from rel)
        union all
        select 'trigger ' || t.tgname, concat_ws(' ', pg_get_triggerdef(t.oid), t.tgenabled) from rel c
        join pg_trigger t on t.tgrelid = c.oid where not t.tgisinternal and t.tgname !~ '^quipu'
        union all
        select 'rule ' || r.rulename, concat_ws(' ', pg_get_ruledef(r.oid), r.ev_enabled) from rel c
        join pg_rewrite r on r.ev_class = c.oid where r.rulename <> '_RETURN'
        union all
        select 'policy ' || p.polname, concat_ws(' ', p.polcmd, p.polpermissive, p.polroles::regrole[],
            pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck, p.polrelid)) from rel c
        join pg_policy p on p.polrelid = c.oid
        union all
        select 'statistics ' || e.stxname, concat_ws(' ', pg_get_statisticsobjdef(e.oid), e.stxstattarget)
        from own join pg_statistic_ext e on e.stxnamespace = own.schema
        union all
        select 'sequence ' || c.relname, q::text from rel c cross join lateral (
            select q.seqtypid, q.seqstart, q.seqincrement, q.seqmin, q.seqmax, q.seqcycle from pg_sequence q
            where q.seqrelid = c.oid) q
        union all
        select 'function ' || p.proname, case p.prokind when 'a' then 'a' else pg_get_functiondef(p.oid) end
        from own join pg_proc p on p.pronamespace = own.schema
        union all
        select 'type ' || t.typname, concat_ws(' ', t.typtype, (select string_agg(enumlabel,
            ',' order by enumsortorder)
            from pg_enum where enumtypid = t.oid)) from own join pg_type t on t.typnamespace = own.schema
        where pg_get_userbyid(t.typowner) = own.writer
        union all
        select 'parent of ' || h.inhrelid::regclass,
            h.inhparent::regclass::text from rel c join pg_inherits h on h.inhrelid = c.oid
        union all
        select 'publication ' || p.pubname,
            c.relname from rel c join pg_publication_rel r on r.prrelid = c.oid
        join pg_publication p on p.oid = r.prpubid
        union all
        select 'comment ' || pg_describe_object(d.classoid, d.objoid, d.objsubid),
            d.description from pg_description d
        where pg_describe_object(d.classoid, d.objoid, d.objsubid) ~ nspname
            and d.classoid <> 'pg_namespace'::regclass
    ) all_of_it (what, said) order by 1, 2
"""


def _fill(house: House, space: str) -> str:
    schema = house.schema(space)
    for statement in OBJECTS:
        text = statement.replace("{writer}", schema.writer).replace("{reader}", schema.reader)
        house.memory.tables.execute(text, space=space, confirm=True)
    return schema.schema_name


def test_all_that_hangs_on_tables_survives_a_schema_that_was_dropped(house: House) -> None:
    memory, space = house.memory, "all dropped"
    schema = _fill(house, space)
    was = house.rows(WHOLE, schema)
    taken = memory.snapshots.create(space=space)
    memory.tables.drop_schema("memory", space=space, confirm=True)
    done = memory.snapshots.restore(taken.name, space=space, confirm=True)
    assert house.rows(WHOLE, schema) == was
    assert done.lost == ()


def test_all_that_hangs_on_tables_survives_in_a_schema_that_was_altered(house: House) -> None:
    memory, space = house.memory, "all altered"
    schema = _fill(house, space)
    was = house.rows(WHOLE, schema)
    taken = memory.snapshots.create(space=space)
    for statement in (
        "drop policy seen on boats",
        "comment on trigger asleep on boats is null",
        "do $$ begin alter table boats disable row level security; alter table boats enable trigger asleep;"
        " alter table boats replica identity default; drop statistics together; end $$",
        "drop table trips, logs cascade",
    ):
        memory.tables.execute(statement, space=space, confirm=True)
    changed = house.rows(WHOLE, schema)
    done = memory.snapshots.restore(taken.name, space=space, confirm=True)
    assert house.rows(WHOLE, schema) == was != changed
    assert done.undo is not None
    memory.snapshots.restore(done.undo, space=space, confirm=True)
    assert house.rows(WHOLE, schema) == changed


def test_a_policy_comes_back_for_those_who_are_still_there(house: House) -> None:
    memory, space, role = house.memory, "policies", 'using "to" them'
    schema = house.schema(space)
    quoted = '"' + role.replace('"', '""') + '"'
    with psycopg.connect(house.url, autocommit=True) as conn:
        conn.execute(f"create role {quoted}".encode())
    for statement in (
        "create table boats (id int)",
        f'create policy "to" on boats for select to {quoted}, {schema.reader} using (id > 1)',
        f"create policy theirs on boats to {quoted} with check (id > 2)",
        "comment on policy theirs on boats is 'Of somebody who is gone.'",
    ):
        memory.tables.execute(statement, space=space, confirm=True)
    taken = memory.snapshots.create(space=space)
    memory.tables.drop_schema("memory", space=space, confirm=True)
    with psycopg.connect(house.url, autocommit=True) as conn:
        conn.execute(f"drop role {quoted}".encode())
    done = memory.snapshots.restore(taken.name, space=space, confirm=True)
    assert done.lost == tuple(
        f"policy {name} on table boats for {role}: there is no such role any more"
        for name in ("theirs", "to")
    )
    assert [row for row in house.rows(WHOLE, schema.schema_name) if "olicy" in row[0]] == [
        ("policy to", "r t {R} (id > 1)")
    ]


@pytest.mark.parametrize("dropped", [True, False])
def test_what_others_hung_on_the_tables_is_told_where_it_goes(house: House, dropped: bool) -> None:
    memory, space = house.memory, f"published {dropped}"
    name = f"of_{dropped}".lower()
    schema = house.schema(space).schema_name
    memory.tables.execute("create table boats (id int primary key)", space=space, confirm=True)
    with psycopg.connect(house.url, autocommit=True) as conn:
        for statement in (
            f"create publication p{name} for table {schema}.boats",
            f"create view public.report{name} as select id from {schema}.boats",
            f"create view public.further{name} as select id from public.report{name}",
        ):
            conn.execute(statement.encode())
    taken = memory.snapshots.create(space=space)
    if dropped:
        memory.tables.drop_schema("memory", space=space, confirm=True)
    done = memory.snapshots.restore(taken.name, space=space, confirm=True)
    published = f"publication p{name} of table boats: only its owner can add that again"
    view = f"view public.report{name}: it is of another schema and rests on these tables"
    assert done.lost == ((published,) if dropped else (published, view))
    with psycopg.connect(house.url, autocommit=True) as conn:
        conn.execute(f"drop publication p{name}".encode())
