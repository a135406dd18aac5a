"""What of a dump is run, skipped and refused, before a database sees any of it."""

from __future__ import annotations

import gzip
from io import BytesIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quipu.errors import BadInput
from quipu.upkeep.snapshots.forms import order, reference, renamed, schema_of
from quipu.upkeep.snapshots.reader import Dump, Statement

PROTECTED = ("embeddings", "schema_registry")
WRITTEN = {
    "SET statement_timeout = 0;": "skip",
    "SET client_encoding = 'UTF8';": "skip",
    "SELECT pg_catalog.set_config('search_path', '', false);": "skip",
    "CREATE SCHEMA memory;": "skip",
    "CREATE TYPE memory.mood AS ENUM (\n    'a',\n    'b;'\n);": "run",
    "CREATE DOMAIN memory.pos AS integer\n\tCONSTRAINT pos_check CHECK ((VALUE > 0));": "run",
    'CREATE TABLE memory."Odd ""name" (\n    id integer NOT NULL\n);': "run",
    "CREATE UNLOGGED TABLE memory.t (\n    id integer\n);": "run",
    "COMMENT ON COLUMN memory.t.id IS 'Which; ''one''';": "run",
    "CREATE SEQUENCE memory.t_id_seq\n    START WITH 1\n    CACHE 1;": "run",
    "CREATE UNLOGGED SEQUENCE memory.u_id_seq\n    START WITH 1\n    CACHE 1;": "run",
    "ALTER SEQUENCE memory.t_id_seq OWNED BY memory.t.id;": "run",
    "ALTER TABLE memory.t ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (\n    CACHE 1\n);": "run",
    "ALTER TABLE ONLY memory.t ALTER COLUMN id SET DEFAULT nextval('memory.t_id_seq'::regclass);": "run",
    "ALTER TABLE ONLY memory.p ATTACH PARTITION memory.p1 FOR VALUES FROM (0) TO (10);": "run",
    'COPY memory.t (id, "Odd") FROM stdin;': "rows",
    "SELECT pg_catalog.setval('memory.t_id_seq', 1, true);": "run",
    "SELECT pg_catalog.setval('memory.\"it''s back\\slash_seq\"', 1, true);": "run",
    "ALTER TABLE ONLY memory.t\n    ADD CONSTRAINT t_pkey PRIMARY KEY (id);": "run",
    "ALTER TABLE ONLY memory.t\n    ADD CONSTRAINT f FOREIGN KEY (a) REFERENCES memory.o(id);": "reference",
    "CREATE UNIQUE INDEX i ON memory.t USING btree (id);": "run",
    "CREATE INDEX i ON ONLY memory.t USING gin (name public.gin_trgm_ops);": "run",
    "CREATE STATISTICS memory.st ON name, level FROM memory.t;": "run",
    "CREATE VIEW memory.v AS\n SELECT t.id\n   FROM memory.t;": "run",
    "CREATE OR REPLACE VIEW memory.v AS\n SELECT t.id\n   FROM memory.t\n  GROUP BY t.id;": "run",
    "ALTER STATISTICS memory.st SET STATISTICS 100;": "run",
    "CREATE MATERIALIZED VIEW memory.mv AS\n SELECT 1 AS one\n  WITH NO DATA;": "run",
    "REFRESH MATERIALIZED VIEW memory.mv;": "later",
    "CREATE TABLE memory.schema_registry (\n    table_name text NOT NULL\n);": "skip",
    "ALTER TABLE ONLY memory.schema_registry\n    ADD CONSTRAINT k PRIMARY KEY (table_name);": "skip",
    "CREATE TRIGGER quipu_inserted_1 AFTER INSERT ON memory.t REFERENCING NEW TABLE AS new_rows FOR EACH"
    " STATEMENT EXECUTE FUNCTION tables.note_rows('1', '1', '1');": "skip",
}
CODE = {
    "CREATE FUNCTION memory.f() RETURNS integer\n    LANGUAGE sql\n    BEGIN ATOMIC\n"
    " SELECT CASE WHEN true THEN 1 ELSE 2 END;\n SELECT 2;\nEND;": "run",
    "CREATE FUNCTION memory.f() RETURNS integer\n    LANGUAGE plpgsql\n    AS $$ begin\nreturn 1;"
    "\nend $$;": "run",
    "CREATE TRIGGER tt BEFORE UPDATE ON memory.t FOR EACH ROW EXECUTE FUNCTION memory.f();": "later",
    "CREATE POLICY pp ON memory.t USING (true);": "later",
    "CREATE RULE rr AS\n    ON DELETE TO memory.t DO INSTEAD NOTHING;": "later",
    "ALTER TABLE memory.t ENABLE ROW LEVEL SECURITY;": "later",
    "ALTER TABLE memory.t DISABLE TRIGGER tt;": "later",
    "CREATE CONSTRAINT TRIGGER tt AFTER INSERT ON memory.t DEFERRABLE INITIALLY DEFERRED FOR EACH ROW"
    " EXECUTE FUNCTION memory.f();": "later",
    "ALTER SEQUENCE memory.s SET LOGGED;": "run",
    "CREATE OPERATOR memory.+ (\n    FUNCTION = int4pl\n);": "run",
}
HOSTILE = (
    "COPY memory.t FROM PROGRAM 'id';",
    "COPY memory.t (id) FROM '/etc/passwd';",
    "COPY memory.t (id) TO '/var/x';",
    "COPY memory.t (id) TO PROGRAM 'sh';",
    "COPY memory.t (id) FROM stdin WITH (FORMAT csv);",
    "COPY core.messages (id) FROM stdin;",
    "COPY memory.embeddings (id) FROM stdin;",
    "COPY memory.schema_registry (table_name) FROM stdin;",
    "COPY (SELECT 1) TO STDOUT;",
    "DO $$ begin perform 1; end $$;",
    "CREATE FUNCTION memory.f() RETURNS integer LANGUAGE sql AS 'select 1';",
    "CREATE PROCEDURE memory.f() LANGUAGE sql AS 'select 1';",
    "CREATE TRIGGER tt BEFORE UPDATE ON memory.t FOR EACH ROW EXECUTE FUNCTION memory.f();",
    "CREATE TRIGGER quipu_inserted_1 AFTER INSERT ON memory.t EXECUTE FUNCTION memory.note_rows();",
    "CREATE EVENT TRIGGER e ON ddl_command_end EXECUTE FUNCTION memory.f();",
    "CREATE RULE rr AS ON SELECT TO memory.t DO INSTEAD NOTHING;",
    "CREATE EXTENSION dblink;",
    "CREATE SCHEMA other;",
    "CREATE SCHEMA memory AUTHORIZATION quipu_owner;",
    "CREATE ROLE x SUPERUSER;",
    "CREATE TABLE core.t (id integer);",
    "CREATE TABLE t (id integer);",
    "CREATE TABLE memory.t AS SELECT 1;",
    "CREATE TEMPORARY TABLE t (id integer);",
    "CREATE FOREIGN TABLE memory.t (id integer) SERVER s;",
    "CREATE VIEW public.v AS SELECT 1;",
    "CREATE INDEX i ON core.messages USING btree (id);",
    "CREATE LANGUAGE plpython3u;",
    "CREATE SERVER s FOREIGN DATA WRAPPER w;",
    "CREATE PUBLICATION p FOR ALL TABLES;",
    "CREATE CAST (text AS integer) WITH INOUT;",
    "ALTER TABLE memory.t OWNER TO quipu_owner;",
    "ALTER TABLE core.messages DISABLE ROW LEVEL SECURITY;",
    "ALTER TABLE memory.t ALTER COLUMN id TYPE integer USING pg_backend_pid();",
    "ALTER TABLE memory.t RENAME TO core;",
    "ALTER TABLE memory.t SET SCHEMA core;",
    "ALTER TABLE memory.t DISABLE TRIGGER ALL;",
    "ALTER ROLE quipu_app SUPERUSER;",
    "ALTER SYSTEM SET archive_command = 'id';",
    "ALTER DEFAULT PRIVILEGES IN SCHEMA memory GRANT ALL ON TABLES TO public;",
    "ALTER SEQUENCE memory.s RESTART;",
    "ALTER SEQUENCE core.s OWNED BY NONE;",
    "ALTER INDEX core.i ATTACH PARTITION core.j;",
    "SET ROLE quipu_owner;",
    "SET SESSION AUTHORIZATION quipu_owner;",
    "SET quipu.space = 'other';",
    "SET search_path = core;",
    "RESET ROLE;",
    "SELECT pg_read_file('/etc/passwd');",
    "SELECT pg_catalog.set_config('role', 'quipu_owner', false);",
    "SELECT pg_catalog.setval('core.s', 1, true);",
    "SELECT pg_catalog.setval('memory.s', (select 1), true);",
    "SELECT pg_catalog.setval('memory.s', 1, true), pg_sleep(1);",
    "GRANT ALL ON SCHEMA memory TO public;",
    "REVOKE ALL ON SCHEMA memory FROM public;",
    "INSERT INTO memory.t VALUES (1);",
    "UPDATE core.messages SET content = '';",
    "DELETE FROM core.messages;",
    "TRUNCATE memory.t;",
    "DROP TABLE memory.t;",
    "DROP SCHEMA core CASCADE;",
    "BEGIN;",
    "COMMIT;",
    "ROLLBACK;",
    "LOCK TABLE core.messages;",
    "NOTIFY quipu;",
    "LOAD 'x';",
    "CALL memory.f();",
    "EXECUTE x;",
    "PREPARE x AS SELECT 1;",
    "VACUUM;",
    "WITH x AS (SELECT 1) SELECT 1;",
    "COMMENT ON TABLE core.messages IS 'x';",
    "COMMENT ON DATABASE quipu IS 'x';",
    "COMMENT ON SCHEMA core IS 'x';",
    "REFRESH MATERIALIZED VIEW core.v;",
    "SECURITY LABEL ON TABLE memory.t IS 'x';",
    ";",
)
NO_DUMPS = (
    "\\! id\n",
    "\\connect postgres\n",
    "\\c postgres\n",
    "\\i /etc/passwd\n",
    "\\restrict a b\n",
    "\\copy memory.t from '/etc/passwd'\n",
    "CREATE TABLE memory.t (id integer) \\g /var/x\n;\n",
    "CREATE TABLE memory.t (id integer); DROP TABLE memory.o;\n",
    "CREATE TABLE memory.t (id integer); COMMIT;\n",
    "/* ; */ CREATE TABLE memory.t (id integer); /* x */ COMMIT;\n",
    "CREATE TABLE memory.t (id integer)\n",
    "COMMENT ON TABLE memory.t IS 'no end;\n",
    "CREATE TABLE memory.t (a text DEFAULT $a$ ; $b$);\n",
    "BEGIN ATOMIC; COMMIT;\n",
)


def read(text: str | bytes) -> list[Statement]:
    return list(Dump(BytesIO(text.encode() if isinstance(text, str) else text)).statements())


def step(text: str, *, code: bool = False) -> str:
    (statement,) = read(text + "\n")
    return order(statement, "memory", protected=PROTECTED, code=code).step


def steps(text: str) -> list[str]:
    return [order(one, "memory", protected=PROTECTED, code=True).step for one in read(text)]


@pytest.mark.parametrize("text", WRITTEN)
def test_what_a_dump_of_a_schema_holds_is_taken(text: str) -> None:
    assert step(text) == step(text, code=True) == WRITTEN[text]


@pytest.mark.parametrize("text", CODE)
def test_functions_and_triggers_are_taken_of_our_own_snapshots_only(text: str) -> None:
    assert step(text, code=True) == CODE[text]
    with pytest.raises(BadInput, match=r"line 1.*is not taken"):
        step(text)


@pytest.mark.parametrize("text", HOSTILE)
def test_what_else_a_file_may_hold_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match=r"file: line 1"):
        step(text)


@pytest.mark.parametrize("text", NO_DUMPS)
def test_commands_of_psql_and_second_statements_are_refused(text: str) -> None:
    with pytest.raises(BadInput, match=r"file: line 1"):
        steps(text)


def test_rows_are_no_statements_whatever_they_say() -> None:
    dump = Dump(
        BytesIO(
            b"-- a comment;\n\\restrict abc\n\nCOPY memory.t (a) FROM stdin;\n"
            b"DROP TABLE x;\n\\\\! id\n\\N\nCOPY memory.t (a) FROM stdin;\n\\.\n\nCREATE SCHEMA memory;\n"
        )
    )
    statements = dump.statements()
    assert next(statements).text == "COPY memory.t (a) FROM stdin"
    rows = [b"DROP TABLE x;\n", b"\\\\! id\n", b"\\N\n", b"COPY memory.t (a) FROM stdin;\n"]
    assert list(dump.rows()) == rows
    after = next(statements)
    assert (after.text, after.line) == ("CREATE SCHEMA memory", 11)
    assert list(statements) == []


def test_a_text_with_lines_that_look_like_a_dump_stays_one_text() -> None:
    said = (
        "COMMENT ON TABLE memory.t IS 'x;\nCOPY memory.t (a) FROM stdin;\n\\.\n\\! id;\n''; DROP TABLE t;';\n"
    )
    (statement,) = read(said)
    assert statement.text == said.rstrip()[:-1]


def test_rows_that_are_cut_off_are_told() -> None:
    dump = Dump(BytesIO(b"COPY memory.t (a) FROM stdin;\n1\n"))
    next(dump.statements())
    with pytest.raises(BadInput, match="cut off"):
        list(dump.rows())


def test_a_statement_that_goes_on_for_ever_is_given_up() -> None:
    with pytest.raises(BadInput, match="too long"):
        read("COMMENT ON TABLE memory.t IS '" + "x\n" * 600_000)


@pytest.mark.parametrize("begin", [b"-- ", b" ", b"COMMENT ON TABLE memory.t IS '"])
def test_a_line_without_an_end_is_given_up_before_it_is_loaded(begin: bytes) -> None:
    file = BytesIO(begin + b" " * 50_000_000 + b"\nDROP TABLE x;\n")
    with pytest.raises(BadInput, match=r"line 1: the statement is too long; 1,000,000 bytes are the most"):
        list(Dump(file).statements())
    assert file.tell() < 2_000_000


def test_a_long_row_comes_in_pieces() -> None:
    row = b"\\." * 1_000_000 + b"\n"  # the last of its pieces is no end of the rows
    dump = Dump(BytesIO(b"COPY memory.t (a) FROM stdin;\n" + row + b"\\.\n"))
    statements = dump.statements()
    next(statements)
    pieces = list(dump.rows())
    assert b"".join(pieces) == row
    assert max(map(len, pieces)) <= 1 << 20
    assert list(statements) == []
    assert dump.bytes == len(row) + 33


def test_a_compressed_dump_is_named() -> None:
    with pytest.raises(BadInput, match=r"file: the file is compressed \(gzip\)"):
        list(Dump(BytesIO(gzip.compress(b"CREATE SCHEMA memory;\n"))).statements())


def test_a_dump_goes_into_a_schema_of_another_name() -> None:
    def moved(text: str) -> str:
        return renamed(read(text + "\n")[0], "memory", "memory_s7").text + ";"

    assert moved("CREATE SCHEMA memory;") == "CREATE SCHEMA memory_s7;"
    assert (
        moved("ALTER TABLE ONLY memory.t ALTER COLUMN a SET DEFAULT nextval('memory.s'::regclass);")
        == "ALTER TABLE ONLY memory_s7.t ALTER COLUMN a SET DEFAULT nextval('memory_s7.s'::regclass);"
    )
    assert moved("SELECT pg_catalog.setval('memory.s', 1, true);").count("memory_s7.s") == 1
    kept = "COMMENT ON COLUMN memory_s7.t.memory IS 'memory.t is '' not memory.x';"
    assert moved(kept.replace("memory_s7", "memory")) == kept
    assert moved("CREATE VIEW memory.v AS\n SELECT a.memory\n   FROM memory.t a;") == (
        "CREATE VIEW memory_s7.v AS\n SELECT a.memory\n   FROM memory_s7.t a;"
    )


def test_the_schema_of_a_dump_is_that_which_it_makes_first() -> None:
    assert (
        schema_of(iter(read("SET row_security = off;\nCREATE SCHEMA memory_s3_work;\n"))) == "memory_s3_work"
    )
    with pytest.raises(BadInput, match="no dump of a schema"):
        schema_of(iter(read("DROP TABLE x;\nCREATE SCHEMA memory;\n")))


def test_a_foreign_key_tells_what_it_refers_to() -> None:
    key = (
        'ALTER TABLE ONLY memory.a ADD CONSTRAINT f FOREIGN KEY (x, "Y")'
        " REFERENCES memory.b(p, q) ON DELETE CASCADE;\n"
    )
    found = reference(read(key)[0])
    assert found is not None
    assert (found.table, found.columns, found.other, found.other_columns) == (
        "a",
        ("x", "Y"),
        "b",
        ("p", "q"),
    )


@settings(max_examples=50)
@given(
    st.binary(max_size=200),
    st.sampled_from(["", "SET ", "COPY memory.t FROM ", "CREATE TABLE memory.", "ALTER TABLE "]),
)
def test_whatever_a_file_says_it_is_taken_apart_or_refused(noise: bytes, start: str) -> None:
    try:
        for statement in read(start.encode() + noise + b"\n;\n"):
            order(statement, "memory", protected=PROTECTED, code=False)
            reference(statement)
            renamed(statement, "memory", "memory_s7")
    except BadInput:
        pass
