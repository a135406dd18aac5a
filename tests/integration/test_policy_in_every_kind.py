"""What may not be kept of people is in no text that any kind makes of what was said, whoever read it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import sql

from language_server import KEY, LanguageServer, Reply, said
from quipu import AsyncMemory
from quipu.kernel.base.clock import FrozenClock
from quipu.kernel.base.setting import Secret
from quipu.kernel.config import Settings

pytestmark = pytest.mark.anyio
THEN = datetime(2026, 3, 2, 10, tzinfo=UTC)
TALK = (
    "My name is Dana, I live in Porto and I take lithium every morning.",
    "Noted, Dana: Porto, and lithium in the morning.",
    "I'm allergic to cashews and diabetic. I always use tabs for indentation because of my migraines.",
    "Since you have diabetes, I will look for meals without sugar and without cashews.",
    "My password is hunter2, my card number is 4111 1111 1111 1111. "
    "I earn 74,000 euros a year. I decided to buy the blue kayak, and I owe the bank 12,000 euros.",
    "Good: the blue kayak. You owe the bank 12,000 euros.",
    "I'll send Tom the ferry timetable on Friday. I'll pick up my insulin on Saturday.",
    "Fine.",
    "Can you find out when my biopsy is?",
    "I don't know, I'll look into your biopsy tomorrow.",
    "Please remember that I have asthma.",
    "I will.",
)
GONE = (
    "lithium",
    "diabet",
    "migraine",
    "74,000",
    "12,000",
    "insulin",
    "biops",
    "sertraline",
    "90,000",
    "hunter2",
    "4111",
)
KEPT = ("porto", "cashews", "tabs", "kayak", "ferry", "asthma")
"""What may be kept, asthma because somebody asked to remember it."""

TABLES = {
    "episodes": ("exchanges", "topics", "stored_episodes", "loops", "beliefs", "belief_sources"),
    "transcripts": ("memories", "memory_sources"),
    "longterm": ("long_term_memory", "sources"),
}
LEAK = "Dana takes sertraline and earns 90,000 euros. Dana is allergic to cashews."
UNASKED = "Dana's doctor prescribed sertraline."
CHUNK: dict[str, Any] = {
    "scope": {"intent": "tell of sertraline", "sentiment": "calm", "emotion": "calm", "confidence": 8},
    "emotion": {},
    "gists": [{"type": "fact", "content": LEAK, "confidence": 9}],
    "facts": [
        {"key": "medication", "value": "sertraline", "confidence": 0.9},
        {"key": "income", "value": "90,000 euros a year", "confidence": 0.9},
        {"key": "allergy", "value": "cashews", "confidence": 0.9},
    ],
    "user_traits": [
        {
            "key": "illness",
            "value": "diabetes",
            "category": "physical",
            "confidence": 0.9,
            "source": "inferred",
        }
    ],
}
EPISODE: dict[str, Any] = {
    "intent": {"type": "planning", "direction": "decision-making"},
    "context": {"situational": UNASKED, "conversational": LEAK, "constraints": [LEAK, UNASKED]},
    "action": UNASKED,
    "emotion": {"type": "calm", "valence": "neutral", "intensity": "low", "arc": "from sertraline to calm"},
    "outcome": LEAK,
    "gist": LEAK,
    "salience_factors": {"novelty": 1, "emotional": 1, "commitment": 1, "unresolved": True},
    "open_loops": [UNASKED, "Dana still has to choose a kayak."],
}
ANSWERS = {
    "Chunk": CHUNK,
    "Condensed": EPISODE,
    "EvaluatedConversation": {
        "inclusions": [
            {"category": "context", "importance": "low", "summary": text, "reason": UNASKED, "turn": 2}
            for text in (LEAK, UNASKED)
        ]
    },
    "ExtractedFacts": {
        "facts": [
            {"fact": text, "category": "context", "confidence": 0.9, "turn": 2, "excerpt": TALK[2]}
            for text in (LEAK.replace("Dana is", "She is"), f"{UNASKED} She uses tabs.")
        ]
    },
}


KEEPS = {
    "rules": {
        "exchanges": KEPT,
        "topics": KEPT,
        "stored_episodes": ("porto", "cashews", "kayak", "ferry"),
        "loops": ("ferry",),
        "beliefs": ("porto", "cashews", "tabs", "asthma"),
        "belief_sources": ("porto", "cashews", "tabs", "asthma"),
        "memories": KEPT,
        "memory_sources": KEPT,
        "long_term_memory": ("porto", "cashews", "tabs", "asthma"),
        "sources": ("porto", "cashews", "tabs", "asthma"),
        "index": KEPT,
    },
    "llm": {
        "exchanges": ("cashews",),
        "topics": KEPT,
        "stored_episodes": ("porto", "cashews", "kayak"),
        "loops": ("ferry",),
        "beliefs": ("cashews",),
        "belief_sources": ("porto", "cashews", "kayak", "ferry", "asthma"),
        "memories": ("cashews", "tabs"),
        "memory_sources": ("tabs",),
        "long_term_memory": ("cashews",),
        "sources": ("cashews", "tabs"),
        "index": ("cashews", "tabs"),
    },
}
"""What of that is left, by who reads and where; the model tells of an allergy alone."""


@pytest.fixture
def model() -> Iterator[LanguageServer]:
    """A language model that tells in every answer what it was not told."""

    def answer(body: dict[str, Any]) -> Reply:
        return said(json.dumps(ANSWERS[body["response_format"]["json_schema"]["name"]]))

    with LanguageServer(takes=answer) as running:
        yield running


def messages() -> list[dict[str, Any]]:
    """The talk, a message a minute."""
    return [
        {
            "id": str(place),
            "role": "assistant" if place % 2 else "user",
            "content": text,
            "time": THEN + timedelta(minutes=place),
        }
        for place, text in enumerate(TALK)
    ]


def recorded(folder: Path) -> Path:
    """The talk as Claude Code recorded it."""
    path = folder / "recorded.jsonl"
    lines = [
        {
            "sessionId": "recorded",
            "cwd": "/src/boat",
            "uuid": f"recorded-{one['id']}",
            "timestamp": one["time"].isoformat(),
            "type": one["role"],
            "message": {"role": one["role"], "content": one["content"]},
        }
        for one in messages()
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def texts(url: str) -> dict[str, str]:
    """Every row that was made of what was said, as text, by table; and what recall finds them by."""
    found: dict[str, str] = {}
    with psycopg.connect(url) as conn:
        for schema, tables in TABLES.items():
            for table in tables:
                query = sql.SQL("select t::text from {} t").format(sql.Identifier(schema, table))
                found[table] = "\n".join(row[0] for row in conn.execute(query))
        indexed = "select e::text from core.recall_entries e where source_table is not null"
        found["index"] = "\n".join(row[0] for row in conn.execute(indexed))
    return found


@pytest.mark.parametrize("reader", ["rules", "llm"])
async def test_what_may_not_be_kept_is_in_no_text_of_any_kind(
    settings: Settings, model: LanguageServer, tmp_path: Path, reader: str
) -> None:
    if reader == "llm":
        settings = replace(settings, llm_base_url=model.url, llm_model="small", llm_api_key=Secret(KEY))
    clock = FrozenClock(THEN + timedelta(days=1))
    async with AsyncMemory(settings=settings, clock=clock) as memory:
        await memory.observe(messages(), space="a", session="s", user="dana")
        await memory.transcripts.sync([recorded(tmp_path)], space="a")
        await memory.settings.set("longterm_evaluator", reader)
        assert (await memory.work(concurrency=1)).failed == 0
        await memory.longterm.evaluate_session("s", space="a")
        done = await memory.lessons.extract(space="a", extractor=reader)
    assert [one.error for one in done.sessions] == [None]
    assert settings.database_url is not None
    found = texts(settings.database_url)
    leaks = {(table, word) for table, text in found.items() for word in GONE if word in text.lower()}
    assert leaks == set()
    kept = {table: tuple(word for word in KEPT if word in text.lower()) for table, text in found.items()}
    assert kept == KEEPS[reader]
    for body in model.requests:
        if body["response_format"]["json_schema"]["name"] in ("Chunk", "Condensed"):
            assert not [word for word in GONE if word in body["messages"][-1]["content"].lower()]
