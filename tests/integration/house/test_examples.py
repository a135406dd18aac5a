"""The Python examples of the documentation run as they stand: those of the README unplugged, where the first
starts a server; the others in a database of their own of a server that runs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from psycopg import sql
from tree import ROOT, SOURCE
from warm_interpreter import Run, run_cold, warm

from quipu import Memory
from quipu.kernel.config import Settings
from quipu.kernel.db import embedded

PATIENT = {"QUIPU_LONGTERM_TIMEOUT_MS": "60000"}  # on a busy machine too there is something to recover
USUAL_MODEL = Settings(home=Path()).embedding_model

EXAMPLE = re.compile(
    r"^(<!-- not run: (?P<reason>.+) -->\n+)?```python\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL
)
PAGES = sorted((ROOT / "docs").rglob("*.md"))
WITH_EXAMPLES = [page for page in PAGES if EXAMPLE.search(page.read_text("utf-8"))]

FIRST = """
from quipu import Memory
with Memory() as memory:
    said = [
        {"role": "user", "content": "Ana moved to Faro in May. I will call her on Monday."},
        {"role": "assistant", "content": "Shall I remind you?"},
    ]
    memory.observe(said, space="first", session="a")
    memory.work()
    memory.recall("Where does Ana live?", space="first")
"""


def program(page: Path) -> str:
    """The examples of a page, one after the other: later ones may use what earlier ones made."""
    blocks = [match for match in EXAMPLE.finditer(page.read_text("utf-8")) if not match["reason"]]
    return "\n\n".join(block["code"] for block in blocks)


@pytest.fixture(scope="session")
def template(server: embedded.EmbeddedServer, server_settings: Settings) -> str:
    """An empty database of the model that users have."""
    name = "examples"
    with psycopg.connect(server.conninfo(), autocommit=True) as conn:
        conn.execute(sql.SQL("create database {}").format(sql.Identifier(name)))
    usual = replace(server_settings, database_url=server.conninfo(name), embedding_model=USUAL_MODEL)
    with Memory(settings=usual):
        return name


@pytest.fixture
def url(template: str, copy_of: Callable[[str], AbstractContextManager[str]]) -> Iterator[str]:
    """The address of a copy of it."""
    with copy_of(template) as address:
        yield address


def test_the_readme_has_examples() -> None:
    assert program(ROOT / "README.md").strip()


@pytest.fixture(scope="module")
def python(template: str, copy_of: Callable[[str], AbstractContextManager[str]]) -> Iterator[Run]:
    """Runs programs with the library loaded, and all patterns compiled that read what people say."""
    with (
        copy_of(template) as url,
        warm({"PYTHONPATH": str(SOURCE), "QUIPU_DATABASE_URL": url}, FIRST) as run,
    ):
        yield run


def test_the_examples_of_the_readme_run_unplugged(home: Path) -> None:
    variables = {"QUIPU_HOME": str(home), "PYTHONPATH": str(SOURCE)}
    code, errors = run_cold(program(ROOT / "README.md"), home, variables)
    assert (code, "Warning" in errors) == (0, False), errors


@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_examples_of_a_page_run(page: Path, home: Path, url: str, python: Run) -> None:
    code, errors = python(program(page), home, {"QUIPU_HOME": str(home), "QUIPU_DATABASE_URL": url} | PATIENT)
    assert (code, "Warning" in errors) == (0, False), errors


@pytest.mark.parametrize(
    "wrong", ["raise SystemExit(3)", "1 / 0", "open('x', 'w')", "import os; os.kill(os.getpid(), 9)"]
)
def test_what_is_wrong_with_an_example_is_seen(home: Path, python: Run, wrong: str) -> None:
    code, errors = python(wrong, home, {})
    assert (code, "Warning" in errors) != (0, False)


def test_a_readme_is_read_to_its_end() -> None:
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 165
