"""Run the tests of peers with our class in the place of theirs: ``make test-peers``.

python tools/peer_suites.py [ENVIRONMENT …]      all, or those of some environments of bench/peers.txt

A suite is of the source distribution of a peer, at the version of bench/peers.txt: some of its lines are
changed so that its classes are ours. Or it is our own and lies in tools/suites. Each environment of
bench/peers.txt has a virtual environment in ``.bench/suites``. What is left out of a suite is named here with
its reason, and counted.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
FOLDER: Final = ROOT / ".bench" / "suites"
OWN: Final = ROOT / "tools" / "suites"
_TESTING: Final = ("pytest", "pytest-asyncio", "pytest-mock", "pytest-timeout")
_SECONDS_OF_A_TEST: Final = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """Tests of a peer: where they lie, what is changed in them, and what is left out.

    ``environment`` is a heading of bench/peers.txt, ``package`` the distribution that ``files`` are of.
    ``changes`` are patterns in them and what takes their place. ``own`` are tests of ours, ``support`` what
    tests import, ``plugins`` those of pytest: names of files in tools/suites. ``left_out`` are tests and the
    reasons.
    """

    environment: str
    package: str
    files: Sequence[str] = ()
    changes: Sequence[tuple[str, str]] = ()
    own: Sequence[str] = ()
    support: Sequence[str] = ()
    plugins: Sequence[str] = ()
    requirements: Sequence[str] = ()
    left_out: Mapping[str, str] = field(default_factory=dict[str, str])


_LANGGRAPH_SQL: Final = "runs SQL on tables of its own, or looks at private attributes"

SUITES: Final = (
    Suite(
        environment="langgraph",
        package="langgraph-checkpoint",
        files=("tests/test_store.py", "tests/embed_test_utils.py", "tests/__init__.py"),
        changes=((r"(?<=from )langgraph\.store\.memory(?= import InMemoryStore\n)", "langgraph_stores"),),
        support=("langgraph_stores",),
    ),
    Suite(
        environment="langgraph",
        package="langgraph-checkpoint-postgres",
        files=(
            "tests/test_store.py",
            "tests/test_async_store.py",
            "tests/conftest.py",
            "tests/embed_test_utils.py",
            "tests/__init__.py",
        ),
        changes=(
            (
                r'(?s)@pytest\.fixture\(scope="function", params=\["default".*?(?=async def test_no_run)',
                "from langgraph_stores import async_store as store, async_vector_store as "
                "_create_vector_store\n\n\n",
            ),
            (r"(?s)@asynccontextmanager\nasync def _create_vector_store.*?(?=@pytest\.fixture\()", ""),
            (
                r'(?s)@pytest\.fixture\(scope="function", params=\["default".*?(?=def test_batch_order)',
                "from langgraph_stores import store, vector_store as _create_vector_store\n\n\n",
            ),
            (r"(?s)@contextmanager\ndef _create_vector_store.*?(?=_vector_params = )", ""),
            (r"(?s)@pytest\.fixture\(scope=\"function\"\)\nasync def conn.*?(?=@pytest\.fixture\ndef f)", ""),
        ),
        support=("langgraph_stores",),
        left_out=dict.fromkeys(
            (
                "test_omit_expired_filters_read_paths",
                "test_omit_expired_disabled_preserves_expired_rows",
                "test_omit_expired_refresh_ttl_only_refreshes_live_rows",
                "test_omit_expired_search_pagination",
                "test_abatch_uses_single_pool_checkout",
            ),
            _LANGGRAPH_SQL,
        ),
    ),
    Suite(environment="haystack", package="haystack-ai", own=("haystack_stores",)),
    Suite(
        environment="openai-agents",
        package="openai-agents",
        files=(
            "tests/memory/test_session.py",
            "tests/memory/test_session_limit.py",
            "tests/extensions/memory/test_async_sqlite_session.py",
            "tests/extensions/memory/test_encrypt_session.py",
            "tests/test_responses.py",
            "tests/testing_processor.py",
            "tests/conftest.py",
            "tests/__init__.py",
        ),
        plugins=("openai_sessions",),
        requirements=("aiosqlite", "cryptography"),
        left_out={
            **dict.fromkeys(
                (
                    "test_sqlite_session_close_closes_worker_thread_connections",
                    "test_sqlite_session_reaps_connections_from_exited_worker_threads",
                    "test_sqlite_session_closes_retired_connections_before_the_next_allocation",
                    "test_sqlite_session_keeps_connections_of_live_worker_threads",
                    "test_sqlite_session_pop_item_skips_corrupt_most_recent",
                    "test_sqlite_session_pop_item_returns_none_after_dropping_only_corrupt_rows",
                    "test_sqlite_session_get_items_limit_skips_corrupt_newest_rows",
                    "test_sqlite_session_get_items_session_settings_limit_skips_corrupt_rows",
                    "test_sqlite_session_file_lock_is_shared_across_instances",
                    "test_sqlite_session_rollback_failure_evicts_connection",
                    "test_sqlite_session_close_retries_quarantined_connection",
                    "test_sqlite_session_post_commit_cancellation_propagates_after_known_outcome",
                    "test_async_sqlite_session_pop_item_skips_corrupt_most_recent",
                    "test_async_sqlite_session_pop_item_returns_none_after_dropping_only_corrupt_rows",
                    "test_async_sqlite_session_get_items_limit_skips_corrupt_newest_rows",
                    "test_async_sqlite_session_get_items_same_timestamp_consistent_order",
                    "test_async_sqlite_session_pop_item_same_timestamp_returns_latest",
                    "test_cancelled_close_finishes_cleanup_and_propagates_cancellation",
                    "test_post_commit_cancellation_propagates_after_known_mutation_outcome",
                    "test_failed_initialization_closes_candidate_connection",
                    "test_initialization_retries_transient_wal_lock",
                    "test_initialization_does_not_retry_unrecoverable_wal_errors",
                    "test_cancelled_wal_retry_closes_startup_connection",
                    "test_cancelled_add_items_rolls_back_write_transaction",
                    "test_operation_failure_then_cancellation_during_rollback",
                    "test_rollback_failure_closes_and_evicts_connection",
                    "test_close_retries_connection_quarantined_after_rollback_failure",
                    "test_close_retries_quarantined_failed_initialization_candidate",
                    "test_cancelled_initialization_finishes_candidate_close",
                    "test_initialization_failure_then_cancellation_during_candidate_close",
                    "test_cancelled_connect_closes_eventually_acquired_connection",
                ),
                "looks at connections and locks of SQLite",
            ),
            **dict.fromkeys(
                (
                    "test_sqlite_session_failed_clear_session_rolls_back",
                    "test_sqlite_session_failed_pop_item_releases_write_lock",
                    "test_failed_clear_session_rolls_back",
                    "test_failed_pop_item_releases_write_lock",
                    "test_encrypted_pop_wrong_key_preserves_row_identity",
                ),
                "runs SQL on the tables of SQLite",
            ),
            **dict.fromkeys(
                (
                    "test_sqlite_session_failed_add_items_releases_write_lock",
                    "test_failed_add_items_rolls_back_and_reuses_connection",
                ),
                "expects the class of SQLite's error for what is no JSON",
            ),
            **dict.fromkeys(
                (
                    "test_sqlite_session_closed_rejects_empty_add_items",
                    "test_async_sqlite_session_closed_operations_raise_runtime_error",
                    "test_async_sqlite_session_closed_rejects_empty_add_items",
                    "test_async_sqlite_session_close_before_use_is_terminal",
                    "test_async_sqlite_session_close_is_idempotent",
                ),
                "closes a session; a memory that it was given stays open",
            ),
            **dict.fromkeys(
                (
                    "test_encrypted_compaction_skips_unencrypted_stored_history",
                    "test_encrypted_pop_wrong_key_preserves_recoverable_history",
                    "test_encrypted_pop_rechecks_authentication_after_expired_tail",
                    "test_encrypted_pop_authentication_is_atomic_with_concurrent_mutations",
                    "test_encrypted_pop_cancellation_waits_for_authentication_rollback",
                ),
                "pops by a private method of SQLiteSession what can be decrypted",
            ),
        },
    ),
    Suite(
        environment="openai-agents",
        package="openai-agents",
        files=(
            "tests/deferred_session_writes/test_compaction.py",
            "tests/deferred_session_writes/test_filters.py",
            "tests/deferred_session_writes/test_max_turns.py",
            "tests/deferred_session_writes/test_pending_write.py",
            "tests/deferred_session_writes/test_recovery.py",
            "tests/deferred_session_writes/test_resume.py",
            "tests/deferred_session_writes/helpers.py",
            "tests/deferred_session_writes/__init__.py",
            "tests/model_test_helpers.py",
            "tests/testing_processor.py",
            "tests/conftest.py",
            "tests/__init__.py",
        ),
        changes=(
            (r"(?<=from )tests\.utils\.simple_session(?= import SimpleListSession\n)", "openai_sessions"),
        ),
        plugins=("openai_sessions",),
    ),
    Suite(
        environment="anthropic",
        package="anthropic",
        files=("tests/lib/tools/memory_tools/test_filesystem.py",),
        changes=((r"(?<=from )anthropic\.lib\.tools\._beta_builtin_memory_tool", "anthropic_files"),),
        support=("anthropic_files",),
        left_out={
            "test_mkdir_parents_not_world_writable_under_permissive_umask": "rights of files",
            **dict.fromkeys(
                (
                    "test_read_rejects_symlink_created_after_validation",
                    "test_read_rejects_file_replaced_with_symlink_before_open",
                    "test_view_rejects_directory_symlink_created_after_validation",
                    "test_view_lists_symlinks_only_when_they_stay_inside_memories",
                    "test_symlink_validation_reject_symlink_pointing_outside_memories",
                    "test_symlink_validation_reject_creating_files_through_symlink_pointing_outside",
                    "test_symlink_validation_reject_parent_directory_that_is_symlink_pointing_outside",
                    "test_validate_path_returns_resolved_path_not_symlink_target",
                ),
                "makes symbolic links, which documents have not",
            ),
        },
    ),
    Suite(environment="mem0", package="mem0ai", own=("mem0_side_by_side",)),
    Suite(
        environment="google-adk",
        package="google-adk",
        own=("adk", "adk_memory"),
        support=("adk_events",),
    ),
    Suite(
        environment="pydantic-ai",
        package="pydantic-ai-slim",
        own=("pydantic_ai",),
        support=("pydantic_ai_messages",),
    ),
    Suite(environment="agent-framework", package="agent-framework-core", own=("agent_framework",)),
    Suite(
        environment="strands",
        package="strands-agents",
        files=("tests/strands/session/test_repository_session_manager.py",),
        changes=((r"(?<=from )tests\.fixtures\.mock_session_repository", "strands_repositories"),),
        support=("strands_repositories",),
    ),
    Suite(
        environment="strands",
        package="strands-agents",
        files=("tests/strands/session/test_file_session_manager.py",),
        changes=((r"(?<=from )strands\.session\.file_session_manager", "strands_repositories"),),
        support=("strands_repositories",),
        left_out=dict.fromkeys(
            (
                "test_create_session",
                "test_create_session_multi_agent_directory_structure",
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
            "looks at files and their paths",
        ),
    ),
    Suite(environment="strands", package="strands-agents", own=("strands_sessions", "strands_memory")),
    Suite(
        environment="crewai",
        package="crewai",
        files=(
            "tests/memory/test_unified_memory.py",
            "tests/memory/test_memory_root_scope.py",
            "tests/memory/test_dimension_mismatch.py",
        ),
        plugins=("crewai_lancedb",),
        left_out={"test_recall_does_not_refresh_access_time_when_read_only": "a recall writes no version"},
    ),
    Suite(environment="crewai", package="crewai", own=("crewai_storage",)),
    Suite(environment="llama-index", package="llama-index-core", own=("llama_index_stores",)),
    Suite(
        environment="portable-memory", package="portable-memory", own=("mem_bundles",), support=("exports",)
    ),
    Suite(environment="cognee", package="cognee", own=("cognee_archives",), support=("exports",)),
)


def main(environments: Sequence[str]) -> int:
    """Run suites; the exit code is 1 if a test of one fails, or a name is none of an environment.

    A memory for all of them is made and removed again.
    """
    known = list(dict.fromkeys(suite.environment for suite in SUITES))
    if unknown := [name for name in environments if name not in known]:
        print(f"{unknown[0]}: no such environment; there are {', '.join(known)}.", file=sys.stderr)
        return 1
    failed = False
    with tempfile.TemporaryDirectory(prefix="quipu-") as home:
        Path(home).chmod(0o711)
        for environment in environments or known:
            python = _environment(environment)
            for suite in [one for one in SUITES if one.environment == environment]:
                failed = _run(suite, python, home) != 0 or failed
    return int(failed)


@cache
def _peers() -> dict[str, list[str]]:
    """Return the requirements of each environment, as bench/peers.txt has them."""
    found: dict[str, list[str]] = {}
    for line in (ROOT / "bench" / "peers.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            found[line[2:].strip()] = []
        elif line.strip():
            found[list(found)[-1]].append(line.strip())
    return found


def _version(suite: Suite) -> str:
    names = (re.match(r"([\w-]+)(?:\[[^\]]*\])?==(\S+)$", one) for one in _peers()[suite.environment])
    return next(one[2] for one in names if one and one[1] == suite.package)


def _environment(name: str) -> Path:
    """Return the interpreter of an environment, which is made if it is not there as it is wanted."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extra = f"[{name}]" if name in project["optional-dependencies"] else ""
    further = [one for suite in SUITES if suite.environment == name for one in suite.requirements]
    wanted = [*_TESTING, *_peers()[name], *dict.fromkeys(further)]
    text = "\n".join([*wanted, *project["dependencies"], extra])
    place = FOLDER / f"venv-{name}"
    stamp = place / f"made-{hashlib.sha256(text.encode()).hexdigest()[:12]}"
    python = place / "bin" / "python"
    if not stamp.exists():
        shutil.rmtree(place, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", str(place)], check=True)
        pip = [str(python), "-m", "pip", "--quiet", "--disable-pip-version-check", "install"]
        print(f"Installing the environment {name}", flush=True)
        subprocess.run([*pip, "--editable", f"{ROOT}{extra}", *wanted], check=True)
        stamp.touch()
    return python


def _unpacked(suite: Suite, python: Path) -> tuple[Path, list[str]]:
    """Write the tests with their changes; return where they lie, and which files have tests."""
    place = FOLDER / f"{suite.package}-{_version(suite)}"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    (place / "pytest.ini").write_text("[pytest]\nasyncio_mode=auto\n", encoding="utf-8")
    for name in ("left_out", *suite.support, *suite.plugins):
        shutil.copy(OWN / f"{name}.py", place)
    for name in suite.own:
        shutil.copy(OWN / f"{name}.py", place / f"test_{name}.py")
    if suite.files:
        _extract(suite, python, place)
    tests = [*suite.files, *(f"test_{name}.py" for name in suite.own)]
    return place, [name for name in tests if Path(name).name.startswith("test_")]


def _extract(suite: Suite, python: Path, place: Path) -> None:
    """Write the files of a source distribution, which is fetched first, with their changes."""
    stem = f"{suite.package.replace('-', '_')}-{_version(suite)}"
    archive = FOLDER / f"{stem}.tar.gz"
    if not archive.exists():
        command = [str(python), "-m", "pip", "--quiet", "download", "--no-deps", "--no-binary", suite.package]
        wanted = f"{suite.package}=={_version(suite)}"
        subprocess.run([*command, "--dest", str(FOLDER), wanted], check=True)
    unused = [pattern for pattern, _ in suite.changes]
    with tarfile.open(archive) as files:
        for name in suite.files:
            member = files.extractfile(f"{stem}/{name}")
            text = "" if member is None else member.read().decode()
            for pattern, replacement in suite.changes:
                text, count = re.subn(pattern, lambda _, new=replacement: new, text)
                if count and pattern in unused:
                    unused.remove(pattern)
            target = place / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
    if unused:
        raise LookupError(f"{suite.package}: nothing matches {unused[0]}")


def _run(suite: Suite, python: Path, home: str) -> int:
    print(f"{suite.package} {_version(suite)}", flush=True)
    place, tests = _unpacked(suite, python)
    plugins = [f"-p{name}" for name in ("no:cacheprovider", "left_out", *suite.plugins)]
    command = [str(python), "-m", "pytest", "-q", f"--timeout={_SECONDS_OF_A_TEST}", *plugins, *tests]
    surroundings = {
        "HOME": home,
        "PATH": os.defpath,
        "PYTHONPATH": str(place),
        "QUIPU_HOME": home,
        "QUIPU_ROOT": str(ROOT),
        "QUIPU_LEFT_OUT": "\n".join(suite.left_out),
    }
    done = subprocess.run(command, cwd=place, env=surroundings, check=False)
    for name, reason in suite.left_out.items():
        print(f"  left out: {name}: {reason}")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
