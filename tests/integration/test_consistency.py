"""The examination of what is kept: silent when all is well, and it names whatever was broken."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import anyio
import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from quipu import AsyncMemory
from quipu.app.kinds import PACKAGES
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database
from quipu.kinds.ledger.evidence.model import EvidenceReference
from quipu.upkeep.consistency import examine
from quipu.upkeep.consistency.service import RULES

Copy = Callable[[str], AbstractContextManager[str]]
FIRST = "id = (select min(id) from core.messages where external_id like 'm%')"
LAST = FIRST.replace("min", "max")
ONE = "term = (select min(term) from core.recall_postings where entry_" + FIRST + ")"
BREAKS = {
    "entries_without_their_message": "delete from core.messages where external_id = 'm1'",
    "messages_without_their_entry": "update core.messages set speaker = 'Eve' where external_id = 'm1'",
    "messages_outside_their_session": "update core.messages set session_id = null where external_id = 'm1'",
    "messages_filed_and_unindexed": "insert into core.unindexed_messages (space_id, message_id, happened_at)"
    " select space_id, id, happened_at from core.messages where external_id = 'm1'",
    "sessions_that_miscount": "update core.sessions set messages = messages + 1",
    "entries_without_vector": f"delete from core.recall_vectors where entry_{FIRST}",
    "vectors_without_entry": f"delete from core.recall_entries where {FIRST}",
    "entries_without_postings": f"delete from core.recall_postings where entry_{LAST}",
    "postings_without_entry": f"update core.recall_postings set term = 77 where entry_{FIRST} and {ONE}",
    "terms_that_miscount": "update core.recall_terms set entries = entries + 1",
    "threads_that_miscount": "update core.recall_threads set speakers = '{}'",
    "entries_without_thread": "delete from core.recall_threads",
    "threads_with_gaps": "update core.recall_threads set next_position = next_position + 1",
    "names_without_use": "insert into core.recall_names (space_id, name) select id, 'No' from core.spaces",
    "space_that_miscounts": "update core.spaces set tokens = tokens + 1",
    "messages_in_no_exchange": "update episodes.exchanges set first_message = first_message + 1",
    "exchanges_that_overlap": "update episodes.exchanges set first_message = first_message - (1 << 24)",
    "conversation_threads_that_miscount": "update episodes.threads set exchanges = exchanges + 1",
    "episodes_that_miss_messages": f"delete from episodes.episode_messages where message_{FIRST}",
    "episodes_that_miscount_their_uses": "delete from episodes.accesses",
    "conflicts_without_sides": "update episodes.beliefs set key = 'house' where value = 'Lisbon'",
    "loops_without_their_message": "delete from episodes.loop_messages",
    "memories_and_entries_that_differ": "delete from transcripts.memories",
    "sessions_that_misstate_their_extraction": "insert into transcripts.session_details"
    " (space_id, session_id, extracted) select space_id, id, true from core.sessions",
}
# What is broken of each kind, and what is named then: a row by its table, or an entry.
BREAKS_FINDING = [
    ("update transcripts.memories set entry_id = null", {"memories", "entry"}),
    ("update transcripts.memories set fact = 'Spaces, not tabs.'", {"memories"}),
    ("update transcripts.memories set status = 'archived'", {"memories"}),
    ("delete from transcripts.memories", {"entry"}),
    ("update longterm.long_term_memory set entry_id = null", {"long_term_memory", "entry"}),
    ("update longterm.long_term_memory set user_name = 'bob'", {"long_term_memory"}),
    ("update longterm.long_term_memory set entry_id = null, archived = true", {"entry"}),
    ("update episodes.stored_episodes set entry_id = null", {"episodes", "entry"}),
    ("update episodes.stored_episodes set started_at = '2020-01-01'", {"episodes"}),
    ("update episodes.stored_episodes set refile = true", {"episodes"}),
    ("delete from episodes.stored_episodes", {"entry"}),
    ("update episodes.beliefs set entry_id = null where state = 'standing'", {"beliefs", "entry"}),
    (
        "delete from core.recall_entries where kind = 2",
        {"chat_memory_events", "chat_recommendation_evidence"},
    ),
    ("delete from ledger.chat_session_memory", {"entry"}),
    ("delete from ledger.chat_recommendation_evidence", {"entry"}),
    ("update ledger.chat_session_memory set source_event_id = source_event_id + 1000", {"entry"}),
    ("delete from ledger.filing_marks", {"chat_memory_events", "chat_recommendation_evidence"}),
]
BREAKS_INHERITANCE = [
    f"update core.recall_entries set from_previous = 0.4 where {FIRST}",
    "update core.recall_entries set mixed_tokens = mixed_tokens * 1.01",
    "update core.recall_vectors set context = own where own is not null",
    "update core.recall_entries set bits = ~bits where id > 0",
    f"update core.recall_entries set happened_at = happened_at + interval '2 hours' where {LAST}",
]


async def fill(memory: AsyncMemory) -> None:
    start = datetime(2026, 2, 1, tzinfo=UTC)
    said = [
        "Where is the boat?",
        "In the harbour, under the tarpaulin.",
        "Thanks! And the oars?",
        "In the shed.",
    ]
    messages = [
        {
            "id": f"m{n}",
            "content": text,
            "speaker": ("Ana", "Boris")[n % 2],
            "time": start + timedelta(minutes=n),
        }
        for n, text in enumerate(said)
    ]
    await memory.observe(messages, space="ana", session="s1", user="ana")
    await memory.observe([{"content": "It stands alone."}], space="ana")
    await memory.observe([{"content": "Elsewhere."}], space="bob", session="s1")


async def understand(memory: AsyncMemory) -> None:
    """An episode that was of use, a loop, beliefs that contradict each other, a lesson, a known fact, and
    a fact and evidence of the ledger that were recalled.
    """
    said = [
        "I live in Berlin. I'll send the contract to Dana next week.",
        "Good.",
        "I live in Lisbon.",
        "Good.",
    ]
    roles = ("user", "assistant")
    turns = [{"role": roles[n % 2], "content": text} for n, text in enumerate(said)]
    await memory.observe(turns, space="ana", session="s2", user="ana")
    assert (await memory.work(concurrency=1)).failed == 0
    await memory.episodes.condense(space="ana")
    episodes = await memory.episodes.list(space="ana")
    assert await memory.episodes.reinforce([one.id for one in episodes], space="ana") == 2
    assert len(await memory.beliefs.conflicts(space="ana")) == 1
    assert len(await memory.loops.list(space="ana", session="s2")) == 1
    await memory.lessons.add("Tabs, not spaces.", space="ana")
    await memory.longterm.add("Has a boat", space="ana", user="ana")
    await memory.ledger.set("boat", "green", space="ana", session="s1")
    await memory.evidence.recommend(
        "Row.",
        space="ana",
        session="s1",
        location="Lisbon",
        time_window="today",
        confidence="low",
        source="reviews",
        evidence=[
            EvidenceReference(
                place_id="p", published_at=datetime(2026, 1, 1, tzinfo=UTC), excerpt="Green boats."
            )
        ],
    )
    assert await memory.recall("green boat", space="ana", kinds=["ledger"])


@pytest.fixture(scope="module")
def filled(server_settings: Settings, copy_of: Copy) -> Iterator[str]:
    """The name of a database in which there is something of everything; nobody is connected to it."""

    async def begin(url: str) -> None:
        async with AsyncMemory(settings=replace(server_settings, database_url=url)) as memory:
            await fill(memory)
            await understand(memory)

    with copy_of("template") as url:
        anyio.run(begin, url)
        yield str(conninfo_to_dict(url)["dbname"])


@pytest.fixture
async def copied(
    server_settings: Settings, copy_of: Copy, filled: str
) -> AsyncIterator[tuple[str, Database]]:
    """A copy of that to be broken: its address, and open."""
    with copy_of(filled) as url:
        settings = replace(server_settings, database_url=url)
        async with Database.open(url, settings, packages=PACKAGES) as opened:
            yield url, opened


def run(url: str, statement: str) -> None:
    with psycopg.connect(url, autocommit=True) as conn:
        conn.execute("set session_replication_role = replica")  # as a fault would: past every constraint
        conn.execute(statement.encode())


@pytest.mark.anyio
async def test_what_was_written_properly_has_no_faults(memory: AsyncMemory, database: Database) -> None:
    assert await examine(database) == []
    await fill(memory)
    assert await examine(database) == []
    await understand(memory)
    assert await examine(database) == []
    await memory.forget(space="ana", message="m1", confirm=True)
    assert await examine(database) == []


@pytest.mark.anyio
@pytest.mark.parametrize("rule", RULES)
async def test_a_broken_rule_is_named(copied: tuple[str, Database], rule: str) -> None:
    url, database = copied
    run(url, BREAKS[rule])
    found = {fault.rule for fault in await examine(database) if fault.found}
    assert rule in found


@pytest.mark.anyio
@pytest.mark.parametrize(("statement", "named"), BREAKS_FINDING)
async def test_what_cannot_be_found_and_what_is_left_in_the_index_is_named(
    copied: tuple[str, Database], statement: str, named: set[str]
) -> None:
    url, database = copied
    run(url, statement)
    (fault,) = [one for one in await examine(database) if one.rule == "memories_and_entries_that_differ"]
    assert {what.split(" ")[0] for what in fault.found} == named


@pytest.mark.anyio
@pytest.mark.parametrize("statement", BREAKS_INHERITANCE)
async def test_an_entry_that_inherits_wrongly_is_named(copied: tuple[str, Database], statement: str) -> None:
    url, database = copied
    run(url, statement)
    assert "entries_that_inherit_wrongly" in {fault.rule for fault in await examine(database)}


@pytest.mark.anyio
async def test_a_long_thread_is_examined_across_its_chunks(
    settings: Settings, url: str, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("quipu.upkeep.consistency.service._CHUNK", 3)
    async with AsyncMemory(settings=settings) as memory:
        await memory.observe(
            [{"id": f"m{n}", "content": f"Turn {n} of the wheel"} for n in range(17)],
            space="ana",
            session="s",
        )
        assert await examine(database) == []
        run(url, f"update core.recall_entries set from_next = 0 where {FIRST.replace('(id)', '(id) + 8')}")
    (fault,) = await examine(database)
    assert len(fault.found) == 1
