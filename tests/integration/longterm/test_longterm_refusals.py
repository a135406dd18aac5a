"""What cannot be taken is refused in a clear sentence, and nothing is changed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest

from quipu import AsyncMemory
from quipu.errors import BadInput, Conflict, NotFound, QuipuError
from quipu.kernel.config import Settings
from quipu.kinds.longterm.longterm import AsyncLongterm

pytestmark = pytest.mark.anyio

Call = Callable[[Any, str, str], Awaitable[Any]]

REFUSED: dict[str, tuple[Call, type[QuipuError], str]] = {
    "unknown category": (lambda m, s, _: m.add("x", space=s, category="food"), BadInput, "preference"),
    "category of another kind": (lambda m, s, _: m.add("x", space=s, category=7), BadInput, "category"),
    "unknown importance": (lambda m, s, _: m.add("x", space=s, importance="huge"), BadInput, "low, medium"),
    "empty summary": (lambda m, s, _: m.add("", space=s), BadInput, "summary"),
    "blank summary": (lambda m, s, _: m.add(" \n\t", space=s), BadInput, "summary"),
    "summary of 100 kB": (lambda m, s, _: m.add("x" * 100_000, space=s), BadInput, "100,000 characters"),
    "summary that is no text": (lambda m, s, _: m.add(5, space=s), BadInput, "summary"),
    "long details": (lambda m, s, _: m.add("x", space=s, details="y" * 10_001), BadInput, "details"),
    "secret": (lambda m, s, _: m.add("My password: hunter2-Xy9$kl", space=s), BadInput, "secret"),
    "secret in details": (
        lambda m, s, _: m.add("x", space=s, details="password: hunter2-Xy9$kl"), BadInput, "secret"),
    "secret by an edit": (
        lambda m, s, i: m.edit(i, space=s, summary="The password: hunter2-Xy9$kl"), BadInput, "secret"),
    "name of nobody": (lambda m, s, _: m.add("x", space=s, user=" "), BadInput, "user"),
    "no space": (lambda m, _, __: m.add("x", space=""), BadInput, "space"),
    "a time that must be guessed": (lambda m, s, _: m.add("x", space=s, time="yesterday"), BadInput, "time"),
    "nothing to change": (lambda m, s, i: m.edit(i, space=s), BadInput, "say what is to change"),
    "unknown category by an edit": (lambda m, s, i: m.edit(i, space=s, category="x"), BadInput, "category"),
    "wrong version": (
        lambda m, s, i: m.edit(i, space=s, summary="y", expected_version=7), Conflict, "version 7"),
    "version zero": (
        lambda m, s, i: m.edit(i, space=s, summary="y", expected_version=0), BadInput, "expected_version"),
    "version that never was": (lambda m, s, i: m.revert(i, space=s, to=3), NotFound, "no version 3"),
    "reason of a novel": (lambda m, s, i: m.archive(i, space=s, reason="y" * 1_001), BadInput, "reason"),
    "no id": (lambda m, s, _: m.get("zz", space=s), BadInput, "no id"),
    "half an id": (lambda m, s, _: m.get("-" * 36, space=s), BadInput, "no id"),
    "unknown id": (lambda m, s, _: m.archive(uuid4(), space=s), NotFound, "list of memories"),
    "id of another space": (
        lambda m, _, i: m.edit(i, space="elsewhere", summary="y"), NotFound, "in this space"),
    "unarchiving elsewhere": (lambda m, _, i: m.unarchive(i, space="elsewhere"), NotFound, "in this space"),
    "limit": (lambda m, s, _: m.list(space=s, limit=0), BadInput, "limit"),
    "an empty question": (lambda m, s, _: m.search(" ", space=s), BadInput, "ask something"),
    "recovering too much": (lambda m, s, _: m.recover("x", space=s, limit=101), BadInput, "memory_limit"),
    "recovering nothing": (lambda m, s, _: m.recover(None, space=s), BadInput, "current_message"),
    "a budget below nothing": (lambda m, s, _: m.recover("x", space=s, budget_tokens=-1), BadInput, "budget"),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
async def test_bad_input_is_refused_and_nothing_is_changed(
    mind: AsyncMemory, longterm: AsyncLongterm, space: str, what: str
) -> None:
    call, error, says = REFUSED[what]
    made = await longterm.add("Likes tea", space=space)
    spaces = await mind.spaces()
    with pytest.raises(error, match=says):
        await call(longterm, space, made.id)
    assert await longterm.list(space=space, state="all") == [made]
    assert await longterm.history(made.id, space=space) == []
    assert await mind.spaces() == spaces  # "elsewhere" was not made


async def test_without_redaction_a_person_may_keep_what_looks_like_a_secret(
    shared: Settings, space: str
) -> None:
    async with AsyncMemory(settings=replace(shared, redact=False)) as memory:
        made = await memory.longterm.add("The wifi password: hunter2-Xy9$kl", space=space)
    assert "hunter2" in made.summary
