"""The talk with a model: ask, read its answer, send it back once, then fail for all to see.

An answer is words without the model's thinking, or a value of the expected shape.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from pydantic import ValidationError

from quipu.errors import LanguageFailed
from quipu.kernel.base.prompt_text import restored
from quipu.kernel.base.text import rule_of
from quipu.kernel.language.model import Reply, Shape
from quipu.kernel.language.prompt import Turn, again, question

# Models that think aloud do so first, between these marks; some servers keep the first mark to themselves.
_THOUGHT = re.compile(
    r"\A(?:\s*<think(?:ing)?>.*?|(?!\s*[{\[])(?:(?!<think).)*?)</think(?:ing)?>", re.DOTALL | re.IGNORECASE
)
_FENCE: Final = "```"
_MOST_FAULTS: Final = 5
_MOST_CHARACTERS: Final = 500


@dataclass(frozen=True, slots=True)
class Fault:
    """Reason why an answer cannot be used, for the model and for us, without quoting it."""

    why: str
    hint: str = "Set QUIPU_LLM_MODEL to a stronger model; where none is set, the rules do the work."


Send = Callable[[Sequence[Turn]], Awaitable[Reply]]
_LONGER = "Raise llm_answer_tokens if the model thinks before it answers, or use one that does not."
_REFUSED = "The language model, or a filter of its server, refused to answer."
_WILLING = "Set QUIPU_LLM_MODEL to a model that answers, or use the rules."


async def structured(send: Send, *, instructions: str, text: str, shape: type[Shape]) -> Shape:
    """Return the answer as a valid ``shape``, after one repair at most. See ``Language``."""
    turns = question(instructions=instructions, text=text, shape=shape)
    reply = await _sent(send, turns)
    parsed = read(plain(reply), shape)
    if isinstance(parsed, Fault):
        parsed = read(plain(await _sent(send, again(turns, answer=reply.text, why=parsed.why))), shape)
    if isinstance(parsed, Fault):
        raise LanguageFailed(
            f"The language model answered twice what is no {shape.__name__}: {parsed.why}", hint=parsed.hint
        )
    return parsed


async def say(send: Send, *, instructions: str, text: str) -> str:
    """Return the answer in free words. See ``Language``."""
    answer = words(plain(await _sent(send, question(instructions=instructions, text=text, shape=None))))
    if isinstance(answer, Fault):
        raise LanguageFailed(f"The language model gave no answer: {answer.why}", hint=answer.hint)
    return answer


async def _sent(send: Send, turns: Sequence[Turn]) -> Reply:
    """Return the answer to the turns; a refusal is none, and to ask again would not change it."""
    reply = await send(turns)
    if reply.refused:
        raise LanguageFailed(_REFUSED, hint=_WILLING)
    return reply


def plain(reply: Reply) -> Reply:
    """Return an answer without its thinking, with the signs that were escaped for the model restored."""
    return replace(reply, text=restored(_THOUGHT.sub("", reply.text)))


def words(reply: Reply) -> str | Fault:
    """Return the answer in free words."""
    if reply.cut_off:
        return Fault("the answer is longer than allowed and was cut off.", hint=_LONGER)
    return reply.text.strip() or Fault("the answer is empty.")


def read(reply: Reply, shape: type[Shape]) -> Shape | Fault:
    """Read the value in an answer: the whole text, a fenced block, or from the first brace to the last."""
    text = words(reply)
    if isinstance(text, Fault):
        return text
    faults: list[ValidationError] = []
    for candidate in _candidates(text):
        try:
            return shape.model_validate_json(candidate)
        except ValidationError as error:
            faults.append(error)
    return Fault(_why(next((fault for fault in faults if not _no_json(fault)), faults[0])))


def _candidates(text: str) -> Iterator[str]:
    yield text
    yield from _blocks(text)
    for first, last in ("{}", "[]"):
        if first in text and last in text:
            yield text[text.index(first) : text.rindex(last) + 1]


def _blocks(text: str) -> Iterator[str]:
    """Yield the content of each fenced block that is closed."""
    inside: list[str] | None = None
    for line in text.splitlines(keepends=True):
        if inside is None:
            inside = [] if line.startswith(_FENCE) else None
        elif line.strip() == _FENCE:
            yield "".join(inside)
            inside = None
        else:
            inside.append(line)


def _no_json(error: ValidationError) -> bool:
    return any(one["type"] == "json_invalid" for one in error.errors(include_url=False, include_input=False))


def _why(error: ValidationError) -> str:
    faults = error.errors(include_url=False, include_input=False, include_context=False)
    reasons = [
        f"{'.'.join(map(str, one['loc'])) or 'the answer'}: {rule_of(one['msg'])}"
        for one in faults[:_MOST_FAULTS]
    ]
    more = f"; and {len(faults) - _MOST_FAULTS} more" if len(faults) > _MOST_FAULTS else ""
    return f"{'; '.join(reasons)[:_MOST_CHARACTERS]}{more}."
