"""Names and questions that are strange or none, and a memory that is not open."""

from __future__ import annotations

from typing import Any

import pytest
from long_form import sized

from quipu import AsyncMemory, Memory
from quipu.errors import BadInput, QuipuError
from quipu.kernel.config import Settings
from quipu.recall.model import Hit

pytestmark = pytest.mark.anyio

GOOD = {"content": "The boat is green."}
SESSIONS = sized(2_000, long=10_000)
STRANGE_NAMES = [
    "'; drop table core.messages; --",
    '"quoted"',
    "a\\b",
    "%s %(name)s",
    "{}",
    "../../etc/passwd",
    "C:\\Windows",
    "~",
    "null",
    "0",
    "-1",
    "public",
    "*",
    "a b",
    " edges ",
    "é",
    "e\u0301",
    "\u202eright to left",
    "zero\u200bwidth",
    "𝒳",
    "😀",
    "שלום",
    "ﷺ",
    "%",
    "_",
    "x" * 512,
    "😀" * 512,
]


async def everything(memory: AsyncMemory, question: str = "boat", *, space: str = "s") -> list[Hit]:
    return await memory.recall(question, space=space, limit=1000)


# ---- Names -----------------------------------------------------------------------------------------


async def test_a_strange_name_is_a_name_like_any_other(memory: AsyncMemory) -> None:
    await memory.observe([GOOD], space="beside", session="beside")
    for name in STRANGE_NAMES:
        said = {"id": name, "content": "The boat is green.", "speaker": name}
        await memory.observe([said], space=name, session=name, user=name)
        (hit,) = await memory.recall("boat", space=name, session=name, user=name)
        assert (hit.source.message, hit.source.session, hit.source.user) == (name, name, name)
        assert [session.name for session in await memory.sessions(space=name)] == [name]
        assert (await memory.observe([said], space=name, session=name, user=name)).duplicates == 1
        await memory.recall(f"What did {name} say?", space=name)
        await memory.forget(space=name, session=name, user=name, message=name, confirm=True)
        assert await memory.recall("boat", space=name) == [], name
        assert len(await everything(memory, space="beside")) == 1, name


@pytest.mark.parametrize(
    "name", ["", " ", "\t", "a\0b", "\ud800", "x" * 513, None, 5, b"x", ["x"], "a\u2028b"]
)
async def test_what_is_no_name_is_refused_with_its_field(unchanged: AsyncMemory, name: Any) -> None:
    with pytest.raises(BadInput, match="space"):
        await unchanged.observe([GOOD], space=name)
    with pytest.raises(BadInput, match="space"):
        await unchanged.recall("boat", space=name)
    with pytest.raises(BadInput, match="space"):
        await unchanged.forget(space=name, confirm=True)
    with pytest.raises(BadInput, match="space"):
        await unchanged.sessions(space=name)
    if name is not None:
        for field in ("session", "user"):
            with pytest.raises(BadInput, match=field):
                await unchanged.observe([GOOD], space="s", **{field: name})
            with pytest.raises(BadInput, match=field):
                await unchanged.recall("boat", space="s", **{field: name})
            with pytest.raises(BadInput, match=field):
                await unchanged.forget(space="s", confirm=True, **{field: name})
    assert (await unchanged.health()).entries == 0


async def test_names_that_look_alike_are_not_the_same(memory: AsyncMemory) -> None:
    for name in ("é", "e\u0301", "E\u0301", "é ", "е"):  # the last is Cyrillic
        await memory.observe([GOOD], space="s", session=name)
    assert len(await memory.sessions(space="s")) == 5


@pytest.mark.long
async def test_thousands_of_sessions_are_listed_and_searched_one_by_one(memory: AsyncMemory) -> None:
    lines = [{"content": f"boat {n}", "session": f"session number {n}"} for n in range(SESSIONS)]
    assert (await memory.import_messages(lines, space="s")).imported == SESSIONS
    (hit,) = await memory.recall("boat", space="s", session="session number 1777")
    assert hit.source.session == "session number 1777"
    assert len(await memory.sessions(space="s", limit=1000, offset=SESSIONS - 500)) == 500
    await memory.forget(space="s", session="session number 1777", confirm=True)
    assert await memory.recall("boat", space="s", session="session number 1777") == []


# ---- Questions -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"question": ""}, "question"),
        ({"question": " \n"}, "question"),
        ({"question": None}, "question"),
        ({"question": 5}, "question"),
        ({"question": "x" * 100_001}, "question"),
        ({"limit": 0}, "limit"),
        ({"limit": -1}, "limit"),
        ({"limit": 10**30}, "limit"),
        ({"limit": 1.5}, "limit"),
        ({"limit": "5"}, "limit"),
        ({"limit": None}, "limit"),
        ({"limit": True}, "limit"),
        ({"kinds": ["dream"]}, "kinds"),
        ({"kinds": "message"}, "kinds"),
        ({"kinds": [["message"]]}, "kinds"),
        ({"kinds": 5}, "kinds"),
        ({"since": "whenever"}, "since"),
        ({"until": object()}, "until"),
        ({"since": "1066-10-14"}, "since"),
    ],
)
async def test_a_question_that_cannot_be_answered_is_refused_with_its_field(
    unchanged: AsyncMemory, given: dict[str, Any], field: str
) -> None:
    arguments = {"question": "boat", "space": "s"} | given
    with pytest.raises(BadInput, match=field):
        await unchanged.recall(**arguments)
    if given != {"limit": None}:  # a block without a limit holds as many as fit
        with pytest.raises(BadInput, match=field):
            await unchanged.recall_block(budget_tokens=100, **arguments)
    with pytest.raises(BadInput, match=field):
        await unchanged.recall_many([arguments.pop("question")], **arguments)


@pytest.mark.parametrize("budget", [0, -1, None, "5", 1.5, True])
async def test_a_budget_that_is_none_is_refused(unchanged: AsyncMemory, budget: Any) -> None:
    with pytest.raises(BadInput, match="budget_tokens"):
        await unchanged.recall_block("boat", space="s", budget_tokens=budget)


@pytest.mark.parametrize("questions", ["boat", None, 5])
async def test_many_questions_are_a_list(unchanged: AsyncMemory, questions: Any) -> None:
    with pytest.raises(BadInput, match="questions"):
        await unchanged.recall_many(questions, space="s")
    assert await unchanged.recall_many([], space="s") == []


@pytest.mark.parametrize("name", ["limit", "offset"])
@pytest.mark.parametrize("value", [-1, 10**30, "5", None, 1.5])
async def test_a_page_of_sessions_that_is_none_is_refused(
    unchanged: AsyncMemory, name: str, value: Any
) -> None:
    with pytest.raises(BadInput, match=name):
        await unchanged.sessions(space="s", **{name: value})


QUESTIONS = [
    "😀",
    "😀🎉",
    "?",
    "...",
    "\0",
    "\ud800",
    "\u202e\u200b",
    "%s",
    "';--",
    "the of and",
    "9999年12月31日",
    "0000年1月1日",
    "5 ſeptember",
    "fıve days ago",
    "999 years ago",
    "boat " * 20_000,
    "x" * 100_000,
    " boat".rjust(100_000),
    "3 May " * 16_000,
    "中" * 100_000,
    "Ana Boris " * 10_000,
    "a_" * 50_000,
]


async def test_every_question_gets_an_answer(memory: AsyncMemory) -> None:
    lines = [
        {"content": f"The boat {n} is green 😀", "speaker": f"Person{n} Family", "session": f"s{n % 9}"}
        for n in range(300)
    ]
    await memory.import_messages(lines, space="s")
    for question in QUESTIONS:
        for hit in await memory.recall(question, space="s"):
            assert 0 < hit.score <= 1, question[:50]
            await memory.why(hit)


async def test_a_question_to_a_space_that_is_not_there_or_empty_finds_nothing(memory: AsyncMemory) -> None:
    assert await memory.recall("boat", space="never") == []
    await memory.observe([GOOD], space="s", session="x")
    assert len(await everything(memory)) == 1
    await memory.forget(space="s", session="x", confirm=True)
    assert await everything(memory) == []
    assert await memory.recall("boat", space="s", session="x", user="nobody") == []
    await memory.observe([GOOD], space="s", session="x")
    assert len(await everything(memory)) == 1


async def test_until_before_since_is_an_empty_time(memory: AsyncMemory) -> None:
    await memory.observe([GOOD], space="s")
    assert await memory.recall("boat", space="s", since="2026-01-01", until="2025-01-01") == []


# ---- A memory that is not open ---------------------------------------------------------------------


async def test_a_memory_that_is_closed_or_not_open_yet_says_so(settings: Settings) -> None:
    memory = AsyncMemory(settings=settings)
    for call in (lambda: memory.recall("boat", space="s"), lambda: memory.ledger.list(space="s")):
        with pytest.raises(QuipuError, match=r"This AsyncMemory is not open\. Use it inside `async with"):
            await call()
    async with memory:
        await memory.observe([GOOD], space="s")
        with pytest.raises(QuipuError, match=r"This AsyncMemory is already open\."):
            await memory.__aenter__()
        assert len(await everything(memory)) == 1
    with pytest.raises(QuipuError, match="not open"):
        await memory.observe([GOOD], space="s")
    await memory.aclose()
    async with memory:  # it may be opened again
        assert len(await everything(memory)) == 1


def test_a_blocking_memory_that_is_closed_says_so(settings: Settings) -> None:
    with Memory(settings=settings) as memory:
        memory.observe([GOOD], space="s")
    for call in (lambda: memory.recall("boat", space="s"), lambda: memory.ledger, memory.open):
        with pytest.raises(QuipuError, match=r"This Memory is closed\. Open a new Memory\."):
            call()


def test_a_blocking_memory_opens_at_its_first_use(settings: Settings) -> None:
    for use in (
        lambda memory: memory.recall("boat", space="s"),
        lambda memory: memory.ledger.list(space="s"),
        lambda memory: memory.open().recall("boat", space="s"),
    ):
        memory = Memory(settings=settings)
        try:
            assert use(memory) == []
        finally:
            memory.close()


@pytest.mark.parametrize("kind", ["transcripts", "lessons", "", None])
async def test_a_kind_that_is_none_is_refused_with_those_that_are(memory: AsyncMemory, kind: Any) -> None:
    with pytest.raises(
        BadInput, match=r"is none of message, ledger, lesson, episodes, longterm, tables, document\."
    ):
        await memory.recall("boat", space="s", kinds=[kind])
