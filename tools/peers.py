"""Suites of peers that run with our classes in the place of theirs, and what is left out of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final


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
