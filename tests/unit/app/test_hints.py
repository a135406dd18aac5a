"""Names that other memories use for what ours calls otherwise."""

from __future__ import annotations

import operator
import re
from pathlib import Path

import pytest

from quipu import AsyncMemory, Memory
from quipu.app.hints import HINTS
from quipu.kernel.config import Settings

SAID = re.compile(r"(?<![\w.])(?:(longterm)\.)?(\w+)\(")
OF_A_KIND = ("get", "list", "edit", "history")


@pytest.fixture
def both(tmp_path: Path) -> tuple[Memory, AsyncMemory]:
    settings = Settings(home=tmp_path)
    return Memory(settings=settings), AsyncMemory(settings=settings)


@pytest.mark.parametrize("name", sorted(HINTS))
def test_a_name_of_another_memory_says_what_to_use(both: tuple[Memory, AsyncMemory], name: str) -> None:
    for memory in both:
        assert not hasattr(memory, name)
        with pytest.raises(AttributeError) as refused:
            getattr(memory, name)("What does Ana drink?")
        assert str(refused.value) == f"{type(memory).__name__} has no {name}: {HINTS[name]}."
    both[0].close()


@pytest.mark.parametrize("hint", sorted(set(HINTS.values())))
def test_what_a_hint_names_is_there(hint: str) -> None:
    from quipu.kinds.longterm.longterm import AsyncLongterm  # noqa: PLC0415

    for room, method in SAID.findall(hint):
        owner = AsyncLongterm if room or method in OF_A_KIND else AsyncMemory
        assert callable(getattr(owner, method))


def test_any_other_name_is_missing_as_in_every_object(both: tuple[Memory, AsyncMemory]) -> None:
    for memory in both:
        with pytest.raises(AttributeError, match=r"'(Async)?Memory' object has no attribute 'recal'"):
            operator.attrgetter("recal")(memory)
    both[0].close()
