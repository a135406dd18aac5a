"""Nothing of one space ever shows in another, through every method."""

from __future__ import annotations

import inspect
import random
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import astuple, replace
from typing import Any

import pytest
from long_form import sized

from quipu import AsyncMemory
from quipu.errors import BadInput, Conflict, NotFound

pytestmark = pytest.mark.anyio

# All else is the same in both spaces; one word in each text and each session name tells of which space it is.
MARK = {"ana": "aardvark", "bob": "bonobo"}
WORDS = ["boat", "green", "harbour", "garden", "soup", "letter", "May 2024", "yesterday?", "小林", "user_id"]
IDS = ["first", "second", "third"]


def told(rng: random.Random, space: str) -> list[dict[str, object]]:
    shared = {"speaker": rng.choice(["Ana", "Bob", None]), "role": rng.choice(["user", "assistant"])}
    return [
        {
            **shared,
            "id": rng.choice([f"m{rng.randrange(10**6)}", None]),
            "content": f"{' '.join(rng.choices(WORDS, k=rng.choice([2, 6, 15])))} {MARK[space]}",
            "session": rng.choice(["shared", f"of {MARK[space]}", None]),
            "user": rng.choice(["u", None]),
        }
        for _ in range(rng.choice([1, 3]))
    ]


def question(rng: random.Random) -> str:
    return " ".join(rng.choices([*WORDS, *MARK.values(), "Ana", "What did Bob say"], k=4))


def chosen(rng: random.Random) -> dict[str, Any]:
    """Some filters; the names are those of either space."""
    every = {
        "user": rng.choice(["u", "Ana"]),
        "session": rng.choice(["shared", *(f"of {mark}" for mark in MARK.values())]),
        "kinds": ("message",),
        "since": "2020-01-01",
    }
    return {name: value for name, value in every.items() if rng.random() < 0.2}


async def _why(memory: AsyncMemory, rng: random.Random, space: str) -> object:
    hits = await memory.recall(question(rng), space=space)
    return [await memory.why(hit) for hit in hits[:2]]


async def _reinforce(memory: AsyncMemory, rng: random.Random, space: str) -> object:
    return await memory.reinforce(await memory.recall(question(rng), space=space))


async def _forget(memory: AsyncMemory, rng: random.Random, space: str) -> object:
    known = [{"session": "shared"}, {"user": "u"}, {"message": "m1"}, {"user": "Ana", "session": "shared"}]
    what = rng.choice(known)
    return await memory.forget(space=space, confirm=rng.random() < 0.3, **what)  # type: ignore[arg-type]


async def _linked(link: Callable[..., Awaitable[object]], rng: random.Random, space: str) -> object:
    """Link two messages whose ids are there in any space, or take it back."""
    with suppress(NotFound, BadInput):
        return await link(*rng.sample(IDS, 2), space=space)


async def _relations(memory: AsyncMemory, rng: random.Random, space: str) -> object:
    with suppress(NotFound, BadInput):
        return await memory.relations(rng.choice(IDS), space=space)


async def _message(memory: AsyncMemory, rng: random.Random, space: str) -> object:
    with suppress(NotFound):
        return await memory.message(rng.choice(IDS), space=space)


async def _after_erasure(memory: AsyncMemory, rng: random.Random, space: str) -> object:
    receipt = (await memory.forget(space=space, user=f"U{rng.random()}", confirm=True)).receipt
    assert receipt is not None
    done = await memory.rewrite_freed(receipt, space=space)
    return done, await memory.check_erasure(receipt, ["boat"], space=space)


def _session(rng: random.Random) -> str:
    return rng.choice(["shared", *(f"of {mark}" for mark in MARK.values())])


async def _restore(memory: AsyncMemory, rng: random.Random, space: str) -> object:
    taken = await memory.take_last(_session(rng), space=space)
    with suppress(NotFound, Conflict):
        return await memory.restore("m1" if taken is None else taken.id, space=space)


Call = Callable[[AsyncMemory, random.Random, str], Awaitable[object]]
# Every public method, called in a space. What it returns is searched for the mark of the other space.
CALLS: dict[str, Call] = {
    "observe": lambda m, rng, space: m.observe(told(rng, space), space=space),
    "import_messages": lambda m, rng, space: m.import_messages(told(rng, space), space=space),
    "recall": lambda m, rng, space: m.recall(question(rng), space=space, limit=50, **chosen(rng)),
    "recall_many": lambda m, rng, space: m.recall_many([question(rng)] * 2, space=space, **chosen(rng)),
    "recall_block": lambda m, rng, space: m.recall_block(
        question(rng), space=space, budget_tokens=500, **chosen(rng)
    ),
    "marks": lambda m, rng, space: m.marks(space=space),
    "gather": lambda m, rng, space: m.gather(
        rng.choice([None, *WORDS]), space=space, since="2020-01-01", exchanges=rng.random() < 0.5
    ),
    "reminders": lambda m, rng, space: m.reminders(space=space),
    "why": _why,
    "reinforce": _reinforce,
    "relate": lambda m, rng, space: _linked(m.relate, rng, space),
    "unrelate": lambda m, rng, space: _linked(m.unrelate, rng, space),
    "relations": _relations,
    "sessions": lambda m, rng, space: m.sessions(space=space),
    "messages": lambda m, rng, space: m.messages(_session(rng), space=space),
    "message": _message,
    "take_last": lambda m, rng, space: m.take_last(_session(rng), space=space),
    "clear": lambda m, rng, space: m.clear(f"of {MARK[rng.choice(sorted(MARK))]}", space=space),
    "restore": _restore,
    "spaces": lambda m, rng, space: m.spaces(),
    "space_names": lambda m, rng, space: m.space_names(),
    "used_lately": lambda m, rng, space: m.used_lately(space=space),
    "overview": lambda m, rng, space: m.overview(space=space),
    "forget": _forget,
    "health": lambda m, rng, space: m.health(),
    "ready": lambda m, rng, space: m.ready(),
    "check_erasure": _after_erasure,
    "rewrite_freed": _after_erasure,
}
WHOLE_DATABASE = {"reembed", "reembed_plan", "work", "aclose"}  # about no space, returning counts at most


def test_every_public_method_is_tried() -> None:
    public = {name for name, _ in inspect.getmembers(AsyncMemory, callable) if not name.startswith("_")}
    assert public == CALLS.keys() | WHOLE_DATABASE


@pytest.mark.long
@pytest.mark.parametrize("seed", range(sized(3, long=6)))
async def test_no_method_shows_anything_of_another_space(memory: AsyncMemory, seed: int) -> None:
    rng = random.Random(seed)
    for space in ("ana", "bob"):
        await memory.observe(told(rng, space), space=space)
        linked = [{"id": one, "content": f"The {one} {MARK[space]}."} for one in IDS]
        await memory.observe(linked, space=space)
    seen = dict.fromkeys(CALLS, False)
    tried = 0
    while tried < 60 or not (seen["recall"] and seen["relate"]):
        tried += 1
        assert tried < 600, seen
        space, other = rng.sample(sorted(MARK), 2)
        name = rng.choice([*CALLS, "observe", "observe", "recall", "recall"])
        shown = repr(await CALLS[name](memory, rng, space))  # the question itself is not part of it
        assert MARK[other] not in shown, name
        seen[name] |= MARK[space] in shown


async def test_what_happens_in_one_space_does_not_change_the_answers_of_another(memory: AsyncMemory) -> None:
    rng = random.Random(5)
    for _ in range(15):
        await memory.observe(told(rng, "ana"), space="ana")
    asked = [question(rng) for _ in range(8)]
    before = await memory.recall_many(asked, space="ana", limit=50)
    for step in range(40):
        await CALLS[rng.choice(["observe", "import_messages", "recall", "forget"])](memory, rng, "bob")
        if step % 10 == 9:
            assert await memory.recall_many(asked, space="ana", limit=50) == before
    await memory.forget(space="bob", confirm=True)
    assert await memory.recall_many(asked, space="ana", limit=50) == before


async def test_the_list_of_spaces_holds_names_and_numbers_and_nothing_else(memory: AsyncMemory) -> None:
    assert await memory.spaces() == []
    await memory.observe([{"content": "The boat is green."}] * 2, space="bob", session="of bob")
    await memory.observe([{"content": "A letter."}], space="ana")
    assert [astuple(space) for space in await memory.spaces()] == [("ana", 1, 0), ("bob", 2, 1)]
    await memory.forget(space="bob", confirm=True)
    assert [space.name for space in await memory.spaces() if space.entries] == ["ana"]


async def test_a_hit_that_claims_another_space_shows_nothing_of_it(memory: AsyncMemory) -> None:
    said = [{"content": "The boat is green."}, {"content": "And the aardvark sleeps."}]
    await memory.observe(said, space="ana", session="s")
    await memory.observe([{"content": "The boat is red."}], space="bob", session="s")
    (hit, *_) = await memory.recall("boat green", space="ana")
    for place in range(-5, 5):
        forged = replace(hit, space="bob", id=str(int(hit.id) + place))
        assert "aardvark" not in repr(await memory.why(forged))
