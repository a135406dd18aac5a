"""Where "Memory System V2" plans around a program of its own: what is here instead."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from quipu import Memory
from quipu.kernel.config import Settings
from quipu.kinds.tables.tools import TOOLS

SPACE = "differs"
OLD_TABLES = ["memory_embeddings", "memory_objects", "memory_structures"]
FILES_OF_THE_TEXT = (
    *("config/database.php", "setup.sh", ".env", ".env.example", "CLAUDE.md", "docs/memory-system.md"),
    *("docs/memory-browser-followup.md", "app/Tools/MemoryCreateTool.php"),
)
PAGES_INSTEAD = {"docs/howto/tables.md": "## The tools", "docs/howto/pages.md": "tables"}


@pytest.fixture
def memory(accepting: Settings, address: str) -> Iterator[Memory]:
    assert address
    with Memory(settings=accepting) as memory:
        memory.tables.create_schema("memory", space=SPACE)
        yield memory


def test_there_is_nothing_old_to_migrate_or_to_drop(memory: Memory, address: str, repository: Path) -> None:
    there = "select relname::text from pg_class where relname = any(%s)"
    with psycopg.connect(address) as conn:
        assert conn.execute(there.encode(), [OLD_TABLES]).fetchall() == []
        conn.execute("create table public.memory_objects (id int)")
        assert conn.execute(there.encode(), [OLD_TABLES]).fetchall() == [("memory_objects",)]
        conn.rollback()
    for path in (repository / "src").rglob("*.sql"):
        assert not any(name in path.read_text("utf-8") for name in OLD_TABLES), path
    assert [one for one in memory.tables.list(space=SPACE).tables if not one.protected] == []


def test_the_engine_makes_the_logins_and_nobody_sets_a_password(memory: Memory, address: str) -> None:
    (schema,) = memory.tables.schemas(space=SPACE)
    other = memory.tables.create_schema("other", space=SPACE)
    logins = [schema.writer, schema.reader, other.writer, other.reader]
    assert len(set(logins)) == 4
    assert not {"memory_ai", "memory_readonly"} & set(logins)
    asked = "select writer_password, reader_password from tables.passwords where schema_id = any(%s)"
    with psycopg.connect(address) as conn:
        rows = conn.execute(asked.encode(), [[schema.id, other.id]]).fetchall()
    passwords = [one for row in rows for one in row]
    assert len(set(passwords)) == 4
    assert min(map(len, passwords)) >= 32
    settings = [name for name in Settings.__dataclass_fields__ if "password" in name]
    assert settings == []


def test_the_program_of_the_text_is_not_here_and_what_it_told_is_told_elsewhere(
    memory: Memory, repository: Path
) -> None:
    assert [name for name in FILES_OF_THE_TEXT if (repository / name).exists()] == []
    for name, said in PAGES_INSTEAD.items():
        assert said in (repository / name).read_text("utf-8")
    howto = (repository / "docs/howto/tables.md").read_text("utf-8")
    assert [tool.name for tool in TOOLS if f"`{tool.name}`" not in howto] == []
    prompt = memory.tables.prompt(space=SPACE).text
    assert [tool.name for tool in TOOLS if tool.name not in prompt] == []
    assert memory.tables.browse("schema_registry", space=SPACE).rows == ()


def test_migrations_go_forward_only(repository: Path) -> None:
    folders: dict[Path, list[str]] = {}
    for path in (repository / "src").rglob("sql/migrations/*"):
        folders.setdefault(path.parent, []).append(path.name)
    assert len(folders) > 5
    for names in folders.values():
        assert all(re.fullmatch(r"\d{4}_\w+\.sql", name) for name in names)
        numbers = sorted(int(name[:4]) for name in names)
        assert numbers == list(range(1, len(names) + 1))  # one each: no second file leads back
