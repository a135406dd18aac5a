"""What a user of Python gets: the lines of the request as they stand, and each shape that it names.

With an embedded server in a fresh home, and the model that comes with the package.
"""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import anyio
import pytest
from patience import PATIENCE_SECONDS

from quipu import AsyncMemory, Memory
from quipu.kernel.config import Settings
from quipu.recall.render import estimate_tokens

SOURCE = Path(__file__).resolve().parent.parent.parent / "src"

ASKED_FOR = """
from quipu import Memory            # AsyncMemory is the same, awaited
with Memory() as memory:            # embedded database, local model, no key; Memory(url="postgresql://…") for a server
    memory.observe([{"role": "user", "content": "I moved to Lisbon in May."}], space="ana", session="s1")
    for hit in memory.recall("Where does Ana live?", space="ana", limit=5):
        print(hit.score, hit.parts, hit.text, hit.source)
"""  # noqa: E501 - word for word
ABOUT = "*, space, user=None, session=None, kinds=None, since=None, until=None, limit=10"

SIGNATURES = {
    "__init__": "self, home=None, url=None",
    "import_messages": "self, messages, *, space",
    "recall": f"self, question, {ABOUT}",
    "recall_many": f"self, questions, {ABOUT}",
    "recall_block": "self, question, *, budget_tokens, space",
    "why": "self, hit",
    "forget": "self, *, space, session=None, user=None, message=None, confirm=False",
    "health": "self",
    "observe": "self, messages, *, space, session=None",
}
SPACE = "harbour"
LONG_AGO = datetime(2024, 2, 29, 8, 30, tzinfo=UTC)
RECORDED: list[dict[str, Any]] = [
    {
        "id": "42",
        "session": "tour/1",
        "role": "user",
        "speaker": "Ana",
        "content": "Where did we leave the green rowing boat?",
        "time": "2024-02-29T09:30:00+01:00",
        "user": "ana",
    },
    {
        "id": "43",
        "session": "tour/1",
        "role": "assistant",
        "speaker": "Boris",
        "content": "It lies under the tarpaulin behind the old lighthouse.",
        "time": LONG_AGO + timedelta(minutes=1),
        "user": "ana",
    },
    {"id": "42", "session": "tour/2", "content": "The violin needs a new string.", "time": LONG_AGO},
    {"content": "The ferry leaves at seven."},
]
REFUSED: list[dict[str, Any]] = [{"content": ""}, {"content": "x", "role": "w" * 65}, {"speaker": "nobody"}]


def parameters(function: Any) -> list[str]:
    """How a function may be called: its parameters as written, without their types."""
    found = [
        parameter.replace(annotation=inspect.Parameter.empty)
        for parameter in inspect.signature(function).parameters.values()
    ]
    return str(inspect.Signature(found)).strip("()").split(", ")


@pytest.fixture(scope="module")
def settings() -> Iterator[Settings]:
    with tempfile.TemporaryDirectory(prefix="quipu-") as directory:
        Path(directory).chmod(0o711)
        yield Settings(home=Path(directory) / "home")


@pytest.fixture(scope="module")
def memory(settings: Settings) -> Iterator[Memory]:
    with Memory(settings.home) as opened:
        report = opened.import_messages(iter(RECORDED + REFUSED), space=SPACE)
        assert report.imported == len(RECORDED)
        assert [refusal.line for refusal in report.refused] == [5, 6, 7]
        assert all(refusal.reason for refusal in report.refused)
        yield opened


def test_the_lines_that_were_asked_for_run_as_they_stand(home: Path) -> None:
    bare = {name: value for name, value in os.environ.items() if not name.startswith("QUIPU_")}
    done = subprocess.run(
        [sys.executable, "-W", "error::ResourceWarning", "-c", ASKED_FOR],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env=bare | {"HOME": str(home), "PYTHONPATH": str(SOURCE), "PYTHONUTF8": "1"},
        timeout=PATIENCE_SECONDS,
    )
    assert (done.returncode, done.stderr) == (0, "")
    (line,) = done.stdout.splitlines()
    assert re.match(r"0\.\d+ \{.*'meaning': .*\} I moved to Lisbon in May\. user in s1 \[.+\]$", line)
    assert (home / ".quipu" / "postgres").exists()


@pytest.mark.parametrize("kind", [Memory, AsyncMemory])
@pytest.mark.parametrize("name", SIGNATURES)
def test_everything_is_called_as_was_asked_for(kind: type, name: str) -> None:
    asked = SIGNATURES[name].split(", ")
    offered = parameters(getattr(kind, name))
    assert [parameter for parameter in offered if parameter in asked] == asked
    positional = offered[: offered.index("*")] if "*" in offered else offered
    assert positional == (asked[: asked.index("*")] if "*" in asked else asked)


def test_a_hit_has_the_callers_own_ids_and_times(memory: Memory) -> None:
    hit = memory.recall("Where is the rowing boat?", space=SPACE, session="tour/1", limit=2)[0]
    assert (hit.source.session, hit.source.message) in {("tour/1", "42"), ("tour/1", "43")}
    (hit,) = memory.recall("What needs a new string?", space=SPACE, session="tour/2")
    assert (hit.kind, hit.text) == ("message", "The violin needs a new string.")
    assert (hit.source.message, hit.source.session) == ("42", "tour/2")
    assert hit.happened_at == LONG_AGO
    assert abs(hit.recorded_at - datetime.now(UTC)) < timedelta(minutes=10)
    assert 0 < hit.score <= 1
    assert hit.score == pytest.approx(sum(hit.parts.values()), abs=1e-4)
    assert isinstance(hit.id, str)


def test_the_speaker_the_role_the_user_and_the_original_time_are_kept(memory: Memory) -> None:
    hits = memory.recall("boat under the tarpaulin behind the lighthouse", space=SPACE, user="ana")
    answer, question = sorted(hits, key=lambda hit: hit.source.message or "", reverse=True)
    assert (answer.source.speaker, answer.source.role, answer.source.user) == ("Boris", "assistant", "ana")
    assert (question.source.speaker, question.source.role) == ("Ana", "user")
    assert question.happened_at == LONG_AGO  # it was given in another zone


def test_recall_keeps_to_kinds_and_times(memory: Memory) -> None:
    everything = memory.recall("boat violin ferry", space=SPACE, kinds=("message",), limit=10)
    assert len(everything) == 4
    early = memory.recall("boat violin ferry", space=SPACE, until="2024-03-01T00:00:00Z", limit=10)
    late = memory.recall("boat violin ferry", space=SPACE, since=LONG_AGO + timedelta(days=1), limit=10)
    assert [hit.text for hit in late] == ["The ferry leaves at seven."]
    assert {hit.id for hit in early} | {hit.id for hit in late} == {hit.id for hit in everything}
    assert len(memory.recall("boat violin ferry", space=SPACE, limit=2)) == 2


def test_many_questions_at_once_are_answered_as_one_by_one(memory: Memory) -> None:
    questions = ["Where is the boat?", "violin", "When does the ferry leave?", "🛶", "Where is the boat?"]
    together = memory.recall_many(questions, space=SPACE, limit=3)
    singly = [memory.recall(question, space=SPACE, limit=3) for question in questions]
    assert [[hit.id for hit in hits] for hits in together] == [[hit.id for hit in hits] for hits in singly]
    for hits, same in zip(together, singly, strict=True):
        assert [hit.score for hit in hits] == pytest.approx([hit.score for hit in same], abs=1e-4)


@pytest.mark.parametrize("budget", [1, 40, 60, 120, 1000])
def test_a_block_never_exceeds_its_budget(memory: Memory, budget: int) -> None:
    block = memory.recall_block("Where is the boat?", budget_tokens=budget, space=SPACE)
    assert block.tokens == estimate_tokens(block.text) <= budget
    assert bool(block.text) == bool(block.hits)
    if budget == 1000:
        assert "behind the old lighthouse" in block.text


def test_why_gives_reasons_words_and_what_stood_around_it(memory: Memory) -> None:
    hits = memory.recall("What lies behind the lighthouse?", space=SPACE, session="tour/1")
    hit = next(hit for hit in hits if hit.source.message == "43")
    why = memory.why(hit)
    assert {reason.signal: reason.amount for reason in why.reasons} == dict(hit.parts)
    assert all(reason.sentence for reason in why.reasons)
    assert "lighthouse" in why.words
    assert why.before == ("Ana: Where did we leave the green rowing boat?",)


def test_forgetting_shows_first_what_would_go_and_proves_then_that_it_went(memory: Memory) -> None:
    said = [{"id": f"{n}", "content": f"The lantern number {n} is lit.", "user": "eve"} for n in range(3)]
    memory.observe(said, space="lanterns", session="night")
    for named in ({"session": "night"}, {"user": "eve"}, {"message": "1"}, {}):
        preview = memory.forget(space="lanterns", **named)
        assert (preview.receipt, preview.counts["messages"]) == (None, 1 if "message" in named else 3)
    assert len(memory.recall("lantern", space="lanterns")) == 3
    receipt = memory.forget(space="lanterns", message="1", confirm=True)
    assert receipt.receipt
    assert "lantern" not in repr(receipt).replace("space='lanterns'", "")
    assert {hit.source.message for hit in memory.recall("lantern", space="lanterns")} == {"0", "2"}
    assert memory.forget(space="lanterns", confirm=True).counts["messages"] == 2
    assert memory.recall("lantern", space="lanterns") == []


def test_health_says_what_it_runs_on(memory: Memory, settings: Settings) -> None:
    health = memory.health()
    assert health.embedded
    assert (health.model, health.dimensions) == (settings.embedding_model, 384)
    assert health.entries >= len(RECORDED)
    assert health.size_bytes > 0


def test_the_same_awaited_on_the_same_home(memory: Memory, settings: Settings) -> None:
    async def ask() -> list[str]:
        async with AsyncMemory(settings.home) as same:
            return [hit.text for hit in await same.recall("When does the ferry leave?", space=SPACE, limit=1)]

    assert anyio.run(ask) == ["The ferry leaves at seven."]
