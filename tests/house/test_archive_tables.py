"""Every table of the schema is carried by an archive, derived from what is, or left out with a reason."""

from __future__ import annotations

import re

from tree import ROOT

from quipu.upkeep.archive.tables import CARRIED, DERIVED, EXCLUDED

SCHEMA = (ROOT / "docs" / "schema.sql").read_text("utf-8")
TABLE = re.compile(r"^CREATE (?:UNLOGGED )?TABLE (\S+) \(\n(.*?)\n\)", re.MULTILINE | re.DOTALL)
OF_PERSON = re.compile(r"^CREATE POLICY person ON (\S+) AS RESTRICTIVE TO quipu_person", re.MULTILINE)
READ_BY_PERSON = re.compile(r"^GRANT (?:\w+,)*SELECT(?:,\w+)* ON TABLE (\S+) TO quipu_person;", re.MULTILINE)
REFERENCE = re.compile(
    r"ALTER TABLE ONLY (\S+)\n    ADD CONSTRAINT \S+ FOREIGN KEY \(([^)]*)\) REFERENCES (\S+)\(([^)]*)\)"
)
WEAK = re.compile(
    r"ALTER TABLE ONLY (\S+)\n    ADD CONSTRAINT \S+ FOREIGN KEY \([^)]*\) REFERENCES (\S+)\(space_id, id\)"
    r" ON DELETE SET NULL \((\w+)\)"
)


def columns(table: str) -> set[str]:
    body = next(body for name, body in TABLE.findall(SCHEMA) if name == table)
    found = (line.split()[0] for line in body.splitlines() if line.startswith("    "))
    return {name for name in found if name.islower()}


def test_every_table_is_in_the_list_once() -> None:
    tables = [name for name, _ in TABLE.findall(SCHEMA)]
    listed = [*(one.table for one in CARRIED), *DERIVED, *EXCLUDED]
    assert len(tables) > 80
    assert sorted(listed) == sorted(tables)


def test_every_kind_has_a_name_of_its_own() -> None:
    kinds = [one.kind for one in CARRIED]
    assert len(set(kinds)) == len(kinds)


def test_columns_that_the_list_names_are_there() -> None:
    for one in CARRIED:
        assert {*one.sessions, *one.later, *one.without} <= columns(one.table), one.table


def test_what_rows_refer_to_is_carried_before_them_or_set_later() -> None:
    order = {one.table: place for place, one in enumerate(CARRIED)}
    seen = 0
    for table, names, other, _ in REFERENCE.findall(SCHEMA):
        if table not in order or other == "core.spaces":
            continue
        seen += 1
        later = CARRIED[order[table]].later
        column = names.split(", ")[-1]
        assert order[other] < order[table] or (other == table and column in later), (table, column)
    assert seen > 50


def test_a_table_is_of_persons_where_its_policy_knows_them() -> None:
    known, readable = set(OF_PERSON.findall(SCHEMA)), set(READ_BY_PERSON.findall(SCHEMA))
    for one in CARRIED:
        assert one.personal == (one.table in known and one.table in readable), one.table


def test_references_of_persons_that_may_be_none_are_named() -> None:
    found = {(table, column, other) for table, other, column in WEAK.findall(SCHEMA)}
    named = {(one.table, column, other) for one in CARRIED for column, other in one.weak.items()}
    assert named == {
        (table, *rest) for table, *rest in found if table in {o.table for o in CARRIED if o.personal}
    }


def test_columns_with_the_uuid_of_a_session_are_named() -> None:
    for table, names, other, there in REFERENCE.findall(SCHEMA):
        place = there.split(", ").index("uid") if other == "core.sessions" and "uid" in there else None
        if place is not None:
            one = next(one for one in CARRIED if one.table == table)
            assert names.split(", ")[place] in one.sessions, (table, names)


def test_every_kind_is_documented() -> None:
    page = (ROOT / "docs" / "reference" / "archive.md").read_text("utf-8")
    listed = re.findall(r"^\| `([a-z_.]+)` \|", page, re.MULTILINE)
    assert listed[-len(CARRIED) :] == [one.kind for one in CARRIED]


def test_no_secret_is_carried() -> None:
    secret = re.compile("password|secret|token_|signing_key|mark_key|names_key")
    for one in CARRIED:
        assert not [name for name in columns(one.table) if secret.search(name)], one.table
