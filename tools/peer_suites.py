"""Run the tests of peers with our class in the place of theirs: ``make test-peers``.

Each suite comes from the source distribution of the peer, at the version of bench/peers.txt, and is kept in
``.bench/suites``. One line is changed in it, the import; a fixture that makes the peer's own database is
replaced. What is left out is named here with its reason, and counted.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
FOLDER: Final = ROOT / ".bench" / "suites"
PYTHON: Final = FOLDER / "venv" / "bin" / "python"
_HEAD: Final = """
import os
from uuid import uuid4
from quipu import Memory
from quipu.compat.langgraph import Store
_MEMORY = Memory(os.environ["QUIPU_HOME"])


def _space():
    return f"t{uuid4().hex}"


"""
_IN_MEMORY: Final = (
    _HEAD
    + """class InMemoryStore(Store):
    def __init__(self, *, index=None):
        super().__init__(_MEMORY, space=_space(), index=False if index is None else index)
"""
)
_POSTGRES_STORE: Final = (
    _HEAD
    + """TTL = {"default_ttl": TTL_MINUTES, "refresh_on_read": True}


@pytest.fixture
def store():
    return Store(_MEMORY, space=_space(), ttl=TTL)


@pytest.fixture
def fake_embeddings():
    return CharacterEmbeddings(dims=500)


"""
)
_VECTOR_STORE: Final = """@contextmanager
def _create_vector_store(vector_type, distance_type, fake_embeddings, text_fields=None, enable_ttl=True):
    index = {"dims": 500, "embed": fake_embeddings, "distance_type": distance_type, "fields": text_fields}
    yield Store(_MEMORY, space=_space(), index=index, ttl=TTL if enable_ttl else None)


"""
_CONNECTIONS: Final = r'(?s)@pytest\.fixture\(scope="function", params=\["default".*?(?=def test_batch_order)'
_DATABASE: Final = (
    r'(?s)@pytest\.fixture\(scope="function"\)\nasync def conn.*?(?=@pytest\.fixture\ndef fake)'
)
_OWN_SQL: Final = "runs SQL on tables of its own, or looks at private attributes"


_HAYSTACK: Final = """
import os
from uuid import uuid4
import pytest
from haystack import Document
from haystack.document_stores.errors import DuplicateDocumentError
from haystack.testing import document_store, document_store_async
from quipu import Memory
from quipu.compat.haystack import QuipuDocumentStore
_MEMORY = Memory(os.environ["QUIPU_HOME"])


def _classes(module, end):
    own = [one for one in vars(module).values() if getattr(one, "__module__", "") == module.__name__]
    tests = [one for one in own if isinstance(one, type) and one.__name__.endswith(end)]
    return tuple(one for one in tests if not any(one in other.__mro__[1:] for other in tests))


class Base:
    @pytest.fixture
    def document_store(self):
        return QuipuDocumentStore(_MEMORY, space=f"t{uuid4().hex}")


class TestStore(Base, *_classes(document_store, ("Test", "Tests"))):
    # The suite leaves these two to each store.
    def test_write_documents(self, document_store):
        document = Document(content="x", meta={"a": 1}, embedding=[1.0, 0.5])
        assert document_store.write_documents([document]) == 1
        with pytest.raises(DuplicateDocumentError):
            document_store.write_documents([document])
        assert document_store.filter_documents() == [document]


class TestAsyncStore(Base, *_classes(document_store_async, "AsyncTest")):
    async def test_write_documents_async(self, document_store):
        assert await document_store.write_documents_async([Document(content="x")]) == 1
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """Tests of a peer: where they lie, what is changed in them, and what is left out.

    ``own`` are files that take the tests from the installed package instead.
    """

    package: str
    files: Sequence[str] = ()
    changes: Sequence[tuple[str, str]] = ()
    own: Mapping[str, str] = field(default_factory=dict[str, str])
    left_out: Mapping[str, str] = field(default_factory=dict[str, str])


def _ours(name: str) -> str:
    """Return a suite of our own, which compares ours with the peer's call by call."""
    return (ROOT / "tools" / "suites" / f"{name}.py").read_text(encoding="utf-8")


SUITES: Final = (
    Suite(
        package="langgraph-checkpoint",
        files=("tests/test_store.py", "tests/embed_test_utils.py", "tests/__init__.py"),
        changes=((r"from langgraph\.store\.memory import InMemoryStore\n", _IN_MEMORY),),
    ),
    Suite(
        package="langgraph-checkpoint-postgres",
        files=("tests/test_store.py", "tests/conftest.py", "tests/embed_test_utils.py", "tests/__init__.py"),
        changes=(
            (_CONNECTIONS, _POSTGRES_STORE),
            (r"(?s)@contextmanager\ndef _create_vector_store.*?(?=_vector_params = )", _VECTOR_STORE),
            (_DATABASE, ""),
        ),
        left_out=dict.fromkeys(
            (
                "test_omit_expired_filters_read_paths",
                "test_omit_expired_disabled_preserves_expired_rows",
                "test_omit_expired_refresh_ttl_only_refreshes_live_rows",
                "test_omit_expired_search_pagination",
            ),
            _OWN_SQL,
        ),
    ),
    Suite(package="haystack-ai", own={"test_document_store.py": _HAYSTACK}),
    Suite(
        package="google-adk",
        own={
            "adk_events.py": _ours("adk_events"),
            "test_adk.py": _ours("adk"),
            "test_adk_memory.py": _ours("adk_memory"),
        },
    ),
    Suite(
        package="pydantic-ai-slim",
        own={
            "pydantic_ai_messages.py": _ours("pydantic_ai_messages"),
            "test_pydantic_ai.py": _ours("pydantic_ai"),
        },
    ),
    Suite(
        package="agent-framework-core",
        own={"test_agent_framework.py": _ours("agent_framework")},
    ),
)


def main() -> int:
    """Run all suites; the exit code is 1 if a test of one fails."""
    failed = False
    _environment()
    for suite in SUITES:
        place = _unpacked(suite)
        done = _run(suite, place)
        failed = failed or done != 0
        for name, reason in suite.left_out.items():
            print(f"  left out: {name}: {reason}")
    return int(failed)


def _versions() -> dict[str, str]:
    text = (ROOT / "bench" / "peers.txt").read_text(encoding="utf-8")
    return dict(re.findall(r"^([\w-]+)(?:\[[^\]]*\])?==(\S+)$", text, re.MULTILINE))


def _environment() -> None:
    """Make the environment of the suites, if it is not there."""
    if not PYTHON.exists():
        subprocess.run([sys.executable, "-m", "venv", str(FOLDER / "venv")], check=True)
    versions = _versions()
    peers = [f"{suite.package}=={versions[suite.package]}" for suite in SUITES]
    wanted = ["-e", f"{ROOT}[langgraph]", "pytest", "pytest-asyncio", "pytest-mock", *peers]
    pip = [str(PYTHON), "-m", "pip", "--quiet", "--disable-pip-version-check", "install"]
    subprocess.run([*pip, *wanted], check=True)


def _unpacked(suite: Suite) -> Path:
    """Write the tests with their changes; those that are not installed come from the source distribution."""
    version = _versions()[suite.package]
    place = FOLDER / f"{suite.package}-{version}"
    place.mkdir(parents=True, exist_ok=True)
    (place / "pytest.ini").write_text("[pytest]\nasyncio_mode=auto\n", encoding="utf-8")
    for name, text in suite.own.items():
        (place / name).write_text(text, encoding="utf-8")
    if suite.own:
        return place
    stem = f"{suite.package.replace('-', '_')}-{version}"
    archive = FOLDER / f"{stem}.tar.gz"
    if not archive.exists():
        command = [str(PYTHON), "-m", "pip", "--quiet", "download", "--no-deps", "--no-binary", ":all:"]
        subprocess.run([*command, "--dest", str(FOLDER), f"{suite.package}=={version}"], check=True)
    with tarfile.open(archive) as files:
        for name in suite.files:
            member = files.extractfile(f"{stem}/{name}")
            text = "" if member is None else member.read().decode()
            for pattern, replacement in suite.changes:
                text = re.sub(pattern, lambda _, new=replacement: new, text)
            target = place / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
    return place


def _run(suite: Suite, place: Path) -> int:
    print(f"{suite.package} {_versions()[suite.package]}", flush=True)
    tests = [name for name in (*suite.files, *suite.own) if Path(name).name.startswith("test_")]
    out = ["-k", " and ".join(f"not {name}" for name in suite.left_out)] if suite.left_out else []
    command = [str(PYTHON), "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests, *out]
    surroundings = {"QUIPU_HOME": str(FOLDER / "home"), "PATH": "/usr/bin:/bin"}
    return subprocess.run(command, cwd=place, env=surroundings, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
