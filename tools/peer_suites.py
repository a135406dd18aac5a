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


_STRANDS: Final = """
import os
from uuid import uuid4
from quipu import Memory
from quipu.compat.strands import SessionRepository
from strands.session.repository_session_manager import RepositorySessionManager
_MEMORY = Memory(os.environ["QUIPU_HOME"])


class MockedSessionRepository(SessionRepository):
    def __init__(self):
        super().__init__(_MEMORY, space=f"t{uuid4().hex}")


"""
_STRANDS_FILES: Final = (
    _STRANDS
    + """class FileSessionManager(RepositorySessionManager, SessionRepository):
    def __init__(self, session_id, storage_dir):
        SessionRepository.__init__(self, _MEMORY, space=f"t{uuid4().hex}")
        RepositorySessionManager.__init__(self, session_id=session_id, session_repository=self)


"""
)
_OWN_FILES: Final = "looks at files and their paths"
_CREWAI: Final = """from __future__ import annotations
import os
from hashlib import sha256
from uuid import uuid4
from crewai.memory.storage import lancedb_storage
from quipu import Memory
from quipu.compat.crewai import QuipuStorage
_MEMORY, _RUN = Memory(os.environ["QUIPU_HOME"]), uuid4().hex


class LanceDBStorage(QuipuStorage):
    def __init__(self, path=None, vector_dim=None):
        super().__init__(_MEMORY, space=f"t{sha256(f'{path}{_RUN}'.encode()).hexdigest()[:30]}")


lancedb_storage.LanceDBStorage = LanceDBStorage
"""


def _ours(name: str) -> str:
    """Return a suite of our own, which compares ours with the peer's call by call."""
    return (ROOT / "tools" / "suites" / f"{name}.py").read_text(encoding="utf-8")


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """Tests of a peer: where they lie, what is changed in them, and what is left out.

    ``environment`` is the heading in bench/peers.txt under which its packages stand. ``own`` are files that
    take the tests from the installed package instead.
    """

    environment: str
    package: str
    files: Sequence[str] = ()
    changes: Sequence[tuple[str, str]] = ()
    own: Mapping[str, str] = field(default_factory=dict[str, str])
    left_out: Mapping[str, str] = field(default_factory=dict[str, str])


SUITES: Final = (
    Suite(
        environment="langgraph",
        package="langgraph-checkpoint",
        files=("tests/test_store.py", "tests/embed_test_utils.py", "tests/__init__.py"),
        changes=((r"from langgraph\.store\.memory import InMemoryStore\n", _IN_MEMORY),),
    ),
    Suite(
        environment="langgraph",
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
    Suite(
        environment="google-adk",
        package="google-adk",
        own={
            "adk_events.py": _ours("adk_events"),
            "test_adk.py": _ours("adk"),
            "test_adk_memory.py": _ours("adk_memory"),
        },
    ),
    Suite(
        environment="pydantic-ai",
        package="pydantic-ai-slim",
        own={
            "pydantic_ai_messages.py": _ours("pydantic_ai_messages"),
            "test_pydantic_ai.py": _ours("pydantic_ai"),
        },
    ),
    Suite(
        environment="agent-framework",
        package="agent-framework-core",
        own={"test_agent_framework.py": _ours("agent_framework")},
    ),
    Suite(environment="haystack", package="haystack-ai", own={"test_document_store.py": _HAYSTACK}),
    Suite(
        environment="strands",
        package="strands-agents",
        files=("tests/strands/session/test_repository_session_manager.py",),
        changes=(
            (r"from tests\.fixtures\.mock_session_repository import MockedSessionRepository\n", _STRANDS),
        ),
    ),
    Suite(
        environment="strands",
        package="strands-agents",
        files=("tests/strands/session/test_file_session_manager.py",),
        changes=(
            (r"from strands\.session\.file_session_manager import FileSessionManager\n", _STRANDS_FILES),
        ),
        left_out=dict.fromkeys(
            (
                "test_create_session",
                "test_delete_session",
                "test_create_agent",
                "test_create_message",
                "test_create_multi_agent",
                "test_message_durable_id_persists",
                "test_corrupted_json_file",
                "test__get_session_path_invalid_session_id",
                "test__get_agent_path_invalid_agent_id",
                "test__get_message_path_invalid_message_id",
            ),
            _OWN_FILES,
        ),
    ),
    Suite(
        environment="strands",
        package="strands-agents",
        own={
            "test_strands_sessions.py": _ours("strands_sessions"),
            "test_strands_memory.py": _ours("strands_memory"),
        },
    ),
    Suite(
        environment="crewai",
        package="crewai",
        files=(
            "tests/memory/test_unified_memory.py",
            "tests/memory/test_memory_root_scope.py",
            "tests/memory/test_dimension_mismatch.py",
        ),
        changes=((r"from __future__ import annotations\n", _CREWAI),),
        left_out={"test_recall_does_not_refresh_access_time_when_read_only": "a recall writes no version"},
    ),
    Suite(environment="crewai", package="crewai", own={"test_crewai_storage.py": _ours("crewai_storage")}),
    Suite(
        environment="llama-index",
        package="llama-index-core",
        own={"test_llama_index_stores.py": _ours("llama_index_stores")},
    ),
)


def main() -> int:
    """Run all suites; the exit code is 1 if a test of one fails."""
    failed = False
    wanted = [one for one in SUITES if not sys.argv[1:] or one.environment in sys.argv[1:]]
    for environment in dict.fromkeys(one.environment for one in wanted):
        _make_environment(environment)
    for suite in wanted:
        place = _unpacked(suite)
        done = _run(suite, place)
        failed = failed or done != 0
        for name, reason in suite.left_out.items():
            print(f"  left out: {name}: {reason}")
    return int(failed)


def _packages(environment: str) -> list[str]:
    """Return the packages under a heading of bench/peers.txt, with their versions."""
    text = (ROOT / "bench" / "peers.txt").read_text(encoding="utf-8")
    sections = dict(re.findall(r"(?ms)^# (.+?)\n(.*?)(?=^# |\Z)", text))
    return sections[environment].split()


def _version(suite: Suite) -> str:
    pinned = [one for one in _packages(suite.environment) if one.startswith(f"{suite.package}==")]
    return pinned[0].partition("==")[2]


def _python(environment: str) -> Path:
    return FOLDER / f"venv-{environment}" / "bin" / "python"


def _make_environment(environment: str) -> None:
    """Make an environment of suites, if it is not there."""
    python = _python(environment)
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(python.parent.parent)], check=True)
    wanted = ["-e", f"{ROOT}[langgraph]" if environment == "langgraph" else str(ROOT)]
    wanted += ["pytest", "pytest-asyncio", "pytest-mock", *_packages(environment)]
    pip = [str(python), "-m", "pip", "--quiet", "--disable-pip-version-check", "install"]
    subprocess.run([*pip, *wanted], check=True)


def _unpacked(suite: Suite) -> Path:
    """Write the tests with their changes; those that are not installed come from the source distribution."""
    version = _version(suite)
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
        python = _python(suite.environment)
        command = [str(python), "-m", "pip", "--quiet", "download", "--no-deps", "--no-binary", ":all:"]
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
    print(f"{suite.package} {_version(suite)}", flush=True)
    tests = [name for name in (*suite.files, *suite.own) if Path(name).name.startswith("test_")]
    out = ["-k", " and ".join(f"not {name}" for name in suite.left_out)] if suite.left_out else []
    command = [str(_python(suite.environment)), "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests, *out]
    surroundings = {"QUIPU_HOME": str(FOLDER / "home"), "PATH": "/usr/bin:/bin"}
    return subprocess.run(command, cwd=place, env=surroundings, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
