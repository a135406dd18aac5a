"""Every table of the database, and what an archive does with it: carried, derived, or excluded. Pure.

This is the one list of what a space holds. A house test compares it with ``docs/schema.sql``: a table that is
added there is missing here until somebody has decided about it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

MOST_NUMBER: Final = 2**53
"""The largest number of a row that an archive may name: numbers in JSON are exact up to here."""

_MOST_SESSION: Final = 2**35  # the places of its messages take 24 bits more
_ALONE: Final = -(2**62)  # where the numbers of messages without a session begin, see core.recall_alone


@dataclass(frozen=True, slots=True)
class Carried:
    """A table whose rows are in an archive.

    ``kind`` is the kind of its records and the name of their file. ``sessions`` are columns with the uuid of
    a session, which is another one in every space: records name the number of the session instead. ``later``
    are columns that refer to rows further on, and are set when all rows are there; ``first`` is what they are
    until then, where that is not null, as the name of a template. ``without`` are columns that are left out,
    because they follow from others. ``numbers`` are the least and the largest ``id``, where that is a number.
    ``reads`` is the relation that rows are read from, where that is not the table, ``of_person`` the one for
    a person, and ``beside`` the one with what others said beside them. ``personal``: the database knows which
    rows belong to one person; ``weak`` are columns that refer to rows of a table that may be somebody else's,
    and are none then.
    """

    table: str
    kind: str
    sessions: tuple[str, ...] = ()
    later: tuple[str, ...] = ()
    first: Mapping[str, str] = field(default_factory=dict[str, str])
    without: tuple[str, ...] = ()
    numbers: tuple[int, int] = (1, MOST_NUMBER)
    reads: str = ""
    of_person: str = ""
    beside: str = ""
    personal: bool = True
    weak: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def schema(self) -> str:
        """The schema of its table."""
        return self.table.partition(".")[0]

    @property
    def name(self) -> str:
        """The name of its table in that schema."""
        return self.table.partition(".")[2]


_SESSION: Final = ("session_id",)
_INDEXED: Final = ("entry_id",)  # given by the index, which is made again

CARRIED: Final = (
    Carried(
        "core.sessions",
        "sessions",
        numbers=(1, _MOST_SESSION),
        of_person="core.sessions_of_person",
        beside="core.sessions_beside_person",
    ),
    Carried(
        "core.messages",
        "messages",
        numbers=(_ALONE, _MOST_SESSION << 24),
        beside="core.messages_beside_person",
    ),
    Carried("core.removed_messages", "removed_messages", numbers=(_ALONE, _MOST_SESSION << 24)),
    Carried("core.tool_calls", "tool_calls"),
    Carried("core.relations", "relations"),
    Carried("core.aliases", "aliases"),
    Carried("core.corrections", "corrections"),
    Carried("core.standing_rules", "rules", weak={"ended_in": "core.messages"}),
    Carried("core.space_settings", "settings", personal=False),
    Carried("ledger.shapes", "ledger.shapes", personal=False),
    Carried("ledger.chat_memory_events", "ledger.events", sessions=_SESSION),
    Carried("ledger.session_details", "ledger.sessions", sessions=_SESSION),
    Carried("ledger.chat_session_memory", "ledger.session_facts", sessions=_SESSION),
    Carried("ledger.chat_user_preferences", "ledger.person_facts", sessions=("last_session_id",)),
    Carried(
        "ledger.chat_recommendations",
        "ledger.recommendations",
        sessions=_SESSION,
        without=("review_backed", "evidence_count", "recency_window_days"),
        weak={"message_id": "core.messages"},
    ),
    Carried("ledger.chat_recommendation_evidence", "ledger.evidence", sessions=_SESSION),
    Carried("ledger.chat_competitor_checks", "ledger.competitor_checks", sessions=_SESSION),
    Carried("ledger.chat_review_signal_runs", "ledger.signal_runs", sessions=_SESSION),
    Carried("ledger.chat_fallbacks", "ledger.fallbacks", sessions=_SESSION),
    Carried("ledger.source_runs", "ledger.source_runs", personal=False),
    Carried("transcripts.files", "transcripts.files", personal=False),
    Carried(
        "transcripts.session_details",
        "transcripts.sessions",
        without=("last_extractor", "extracted", "extraction_attempted_at"),
        personal=False,
    ),
    Carried("transcripts.summaries", "transcripts.summaries", personal=False),
    Carried("transcripts.lines", "transcripts.lines", personal=False),
    Carried("transcripts.responses", "transcripts.responses", personal=False),
    Carried("transcripts.tool_calls", "transcripts.tool_calls", personal=False),
    Carried("transcripts.tool_results", "transcripts.tool_results", personal=False),
    Carried("transcripts.teams", "transcripts.teams", personal=False),
    Carried("transcripts.team_members", "transcripts.team_members", personal=False),
    Carried("transcripts.team_tasks", "transcripts.team_tasks", personal=False),
    Carried("transcripts.prompts", "transcripts.prompts", personal=False),
    Carried(
        "transcripts.extractions",
        "transcripts.extractions",
        later=("status", "error"),  # whether it ever went well is what a trigger remembers between the two
        first={"status": "status_before"},
        personal=False,
    ),
    Carried("transcripts.memories", "lessons", without=_INDEXED, personal=False),
    Carried("transcripts.memory_sources", "lessons.sources", personal=False),
    Carried("transcripts.memory_contradictions", "lessons.contradictions", personal=False),
    Carried("transcripts.memory_edits", "lessons.edits", personal=False),
    Carried(
        "episodes.threads",
        "episodes.threads",
        later=("continued_from",),
        of_person="episodes.threads_of_person",
        weak={"continued_from": "episodes.threads"},
    ),
    Carried("episodes.topics", "episodes.topics", without=("centroid", "generation")),
    Carried(
        "episodes.conversation_details",
        "episodes.conversations",
        weak={"thread_id": "episodes.threads", "topic_id": "episodes.topics"},
    ),
    Carried(
        "episodes.stored_episodes",
        "episodes",
        without=("entry_id", "refile"),
        weak={"thread_id": "episodes.threads"},
    ),
    Carried("episodes.episode_messages", "episodes.messages"),
    Carried("episodes.episode_history", "episodes.history"),
    Carried("episodes.accesses", "episodes.accesses"),
    Carried(
        "episodes.exchanges",
        "episodes.exchanges",
        weak={
            "thread_id": "episodes.threads",
            "topic_id": "episodes.topics",
            "episode_id": "episodes.stored_episodes",
        },
    ),
    Carried("episodes.message_details", "episodes.message_details"),
    Carried("episodes.progress", "episodes.progress"),
    Carried("episodes.prompts", "episodes.prompts", personal=False),
    Carried("episodes.loops", "loops"),
    Carried("episodes.loop_messages", "loops.messages"),
    Carried(
        "episodes.beliefs",
        "beliefs",
        later=("successor",),
        without=_INDEXED,
        weak={"successor": "episodes.beliefs"},
    ),
    Carried("episodes.belief_sources", "beliefs.sources"),
    Carried("episodes.conflicts", "beliefs.conflicts"),
    Carried("longterm.long_term_memory", "longterm", without=("entry_id", "agent_id", "app_id", "run_id")),
    Carried("longterm.history", "longterm.history"),
    Carried("longterm.sources", "longterm.sources"),
    Carried("longterm.evaluations", "longterm.evaluations"),
    Carried("longterm.audit", "longterm.audit"),
    Carried("longterm.audit_memories", "longterm.audit_memories"),
    Carried("documents.documents", "documents"),
    Carried("documents.versions", "documents.versions"),
    Carried("documents.passages", "documents.passages", without=_INDEXED),
    Carried("documents.vectors", "documents.vectors"),
    Carried("core.imports", "imports", personal=False),
    Carried("core.origins", "origins", personal=False),
    Carried("core.carried_receipts", "receipts", reads="core.receipts", personal=False),
)
"""In the order in which rows may be written: what others refer to comes first."""

_INDEX: Final = "the index of recall, filed again as before a recall"
_WORDS: Final = "the index of words in recorded sessions, made again before a search"
_FOLLOWED: Final = "the index of agents' tables, which follows their rows"

DERIVED: Final = MappingProxyType(
    {
        "core.spaces": "its name and languages are in the manifest; its counters follow from the rows",
        "core.erasures": "as receipts, which core.carried_receipts keeps of other databases",
        "core.recall_entries": _INDEX,
        "core.recall_names": _INDEX,
        "core.recall_postings": _INDEX,
        "core.recall_terms": _INDEX,
        "core.recall_threads": _INDEX,
        "core.recall_vectors": _INDEX,
        "core.unindexed_messages": "every message of an archive that was taken in waits there to be filed",
        "ledger.filing_marks": _INDEX,
        "transcripts.texts": _WORDS,
        "transcripts.indexing": _WORDS,
        "transcripts.unindexed": _WORDS,
        "tables.schemas": "a dump of each schema, which is made again from it",
        "tables.relations": "a dump of each schema",
        "tables.grants": "the manifest, beside the dump of the schema",
        "tables.embeddings": _FOLLOWED,
        "tables.following": _FOLLOWED,
        "tables.dirty_rows": _FOLLOWED,
        "tables.kept_vectors": _FOLLOWED,
    }
)
"""Tables that are made again from what is carried, and by what."""

_SECRET: Final = "it opens something, and an archive is handed out"
_PASSING: Final = "it is of the moment: work that waits, or an answer that is kept for a day"
_OF_DATABASE: Final = "it is of the database, not of a space"

EXCLUDED: Final = MappingProxyType(
    {
        "core.api_keys": _SECRET,
        "core.databases": _OF_DATABASE,
        "core.places": _OF_DATABASE,
        "core.moved_spaces": _OF_DATABASE,
        "core.signins": _SECRET,
        "core.erasure_chain": _SECRET,
        "tables.passwords": _SECRET,
        "tables.discarded_roles": _SECRET,
        "transcripts.readers": _SECRET,
        "transcripts.discarded_readers": _SECRET,
        "core.at_commit": _PASSING,
        "core.kept_answers": _PASSING,
        "core.outbox": _PASSING,
        "queue.saq_jobs": _PASSING,
        "queue.saq_stats": _PASSING,
        "core.exports": "it lists the files that this database handed out",
        "core.tombstones": "hashes with a key of this database, which say nothing elsewhere",
        "core.language_budget": _OF_DATABASE,
        "core.migrations": _OF_DATABASE,
        "core.recall_generations": _OF_DATABASE,
        "core.recall_kinds": _OF_DATABASE,
        "core.schedules": _OF_DATABASE,
        "core.settings": _OF_DATABASE,
    }
)
"""Tables that no archive has, and why."""
