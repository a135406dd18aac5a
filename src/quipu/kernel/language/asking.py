"""The talk with a model, the same for every one: ask, read, send back once, then fail for all to see."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from quipu.errors import LanguageFailed
from quipu.kernel.base.prompt_text import restored
from quipu.kernel.language.answer import Fault, Said, read, words
from quipu.kernel.language.model import Shape
from quipu.kernel.language.prompt import Turn, again, question

Send = Callable[[Sequence[Turn]], Awaitable[Said]]

_STRONGER = "Set QUIPU_LLM_MODEL to a stronger model; where none is set, the rules do the work."


async def structured(send: Send, *, instructions: str, text: str, shape: type[Shape]) -> Shape:
    """Return the answer as a valid ``shape``, after one repair at most. See ``Language``."""
    turns = question(instructions=instructions, text=text, shape=shape)
    said = await send(turns)
    found = read(_plain(said), shape)
    if isinstance(found, Fault):
        found = read(_plain(await send(again(turns, answer=said.text, why=found.why))), shape)
    if isinstance(found, Fault):
        raise LanguageFailed(
            f"The language model answered twice what is no {shape.__name__}: {found.why}", hint=_STRONGER
        )
    return found


def _plain(said: Said) -> Said:
    """Return the answer with the signs that were escaped for the model restored."""
    return replace(said, text=restored(said.text))


async def say(send: Send, *, instructions: str, text: str) -> str:
    """Return the answer in free words. See ``Language``."""
    found = words(_plain(await send(question(instructions=instructions, text=text, shape=None))))
    if isinstance(found, Fault):
        raise LanguageFailed(f"The language model gave no answer: {found.why}", hint=_STRONGER)
    return found
