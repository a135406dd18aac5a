"""A resumed session repeats the lines of the one before, with their ids: recall returns each once."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from coding_sessions import FINDINGS, OPINIONS, Session, World

from quipu import AsyncMemory

sys.path.append(str(Path(__file__).resolve().parent.parent))

from cli_process import CommandLine

pytestmark = pytest.mark.anyio
SPACE = "boats"
SAID = [OPINIONS[0], FINDINGS[0], OPINIONS[1], FINDINGS[1]]
QUESTION = " ".join(SAID)


@pytest.fixture
def first(root: Path) -> Session:
    """A session of four lines that was resumed twelve times: more copies than a recall ranks to spare."""
    session = World(root).session("/home/ana/boats")
    for prompt, answer in zip(SAID[::2], SAID[1::2], strict=True):
        session.prompt(prompt)
        session.says(answer)
    session.write()
    for _ in range(12):
        session.fork().write()
    return session


async def test_each_line_is_recalled_once_however_often_its_session_was_resumed(
    memory: AsyncMemory, root: Path, first: Session
) -> None:
    await memory.transcripts.sync([root], space=SPACE)
    hits = await memory.recall(QUESTION, space=SPACE, limit=4)
    assert sorted(hit.text for hit in hits) == sorted(SAID)
    assert len({hit.source.message for hit in hits}) == len(SAID)
    assert len(await memory.recall(QUESTION, space=SPACE)) == len(SAID)
    block = await memory.recall_block(QUESTION, space=SPACE, budget_tokens=1_000)
    assert [block.text.count(said) for said in SAID] == [1] * len(SAID)


async def test_a_copy_is_recalled_in_its_own_session_and_when_the_others_are_erased(
    memory: AsyncMemory, root: Path, first: Session
) -> None:
    resumed = first.fork()
    resumed.write()
    await memory.transcripts.sync([root], space=SPACE)
    own = await memory.recall(QUESTION, space=SPACE, session=resumed.name, limit=4)
    assert sorted(hit.text for hit in own) == sorted(SAID)
    (best,) = await memory.recall(QUESTION, space=SPACE, limit=1)
    assert best.source.session is not None
    await memory.forget(space=SPACE, session=best.source.session, confirm=True)
    (other,) = await memory.recall(QUESTION, space=SPACE, limit=1)
    assert (other.text, other.source.message) == (best.text, best.source.message)
    assert other.source.session != best.source.session


async def test_what_only_has_the_same_id_or_the_same_words_is_no_copy(memory: AsyncMemory) -> None:
    for day, session, words in (
        (1, "a", "The oars are red."),
        (2, "b", "The oars are red."),
        (1, "c", "Oars?"),
    ):
        said = [{"id": "m1", "content": words, "happened_at": f"2026-03-0{day}T10:00:00Z"}]
        await memory.observe(said, space="ids", session=session)
    hits = await memory.recall("oars", space="ids")
    assert sorted((hit.text, len(hit.repeats)) for hit in hits) == [("Oars?", 0), ("The oars are red.", 1)]


def test_the_commands_show_each_line_once(url: str, tmp_path: Path, root: Path, first: Session) -> None:
    quipu = CommandLine(tmp_path, {"QUIPU_DATABASE_URL": url, "QUIPU_EMBEDDING_MODEL": "hashing"})
    quipu.json("transcripts", "sync", str(root), "--space", SPACE)
    recalled = quipu.json("recall", QUESTION, "--space", SPACE, "--limit", "4")
    assert sorted(hit["text"] for hit in recalled["hits"]) == sorted(SAID)
    searched = quipu.json("transcripts", "search", "login", "--space", SPACE)
    uuids = [hit["uuid"] for hit in searched["hits"]]
    assert len(uuids) == len({*uuids}) > 0
    assert {len(hit["also_in"]) for hit in searched["hits"]} == {12}
