"""The one policy of what is kept of people, as episodes ask it.

It is asked where what was said is read (``kept``), so nothing that is made of it can tell what may not be
kept: chunks, topics, gists, outcomes, loops, beliefs. And once more where a reader's answer comes back
(``Retold``): a language model may say what it was not told.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from anyio import to_thread

from quipu.kernel.config import Settings
from quipu.kernel.db.database import SpaceTransaction
from quipu.kernel.policy.policy import Policy, asks, policy
from quipu.kernel.prose.sentences import sentences
from quipu.kinds.episodes.shapes import Chunk
from quipu.recall.terms import question_terms

_ENOUGH: Final = 0.5
"""Share of a text's words that a sentence must have to be what it is from."""

UNKNOWN: Final = "unknown"
_QUICK_CHARACTERS: Final = 4_000
_LANGUAGE: Final = ("english",)


async def kept(tx: SpaceTransaction, said: Sequence[str]) -> list[str]:
    """Return texts without what may not be kept of people, in the same order.

    If something is cut out of a text, the parts that are left are paragraphs: nothing is read across a gap.
    """
    held = policy_of(tx.settings)
    if sum(map(len, said)) < _QUICK_CHARACTERS:
        return _cut(held, said)
    return await to_thread.run_sync(_cut, held, said)


def policy_of(settings: Settings) -> Policy:
    """Return the policy of a space. The record was cleared of secrets when it was written."""
    return policy(settings.policy, secrets=False)


class Retold:
    """The policy before texts that retell what was ``said``: what somebody asked to remember may be kept."""

    def __init__(self, policy: Policy, said: Iterable[str]) -> None:
        self._policy = policy
        self._asking = [_words(one.text) for text in said for one in sentences(text) if asks(one.text)]

    def cut(self, text: str) -> str:
        """Return the text without clauses that may not be kept; "" if none may."""
        return self._policy.cut(text, requested=self._asked(text))

    def may(self, key: str, value: str) -> bool:
        """Return True if a fact of somebody may be kept, by its key and its value."""
        name = key.replace("_", " ")
        told = f"The user has {name} {value}. The user's {name} is {value}."
        return self._policy.refused(told, requested=self._asked(value)) is None

    def _asked(self, text: str) -> bool:
        words = _words(text)
        return any(words and len(words & asking) >= _ENOUGH * len(words) for asking in self._asking)


def allowed(chunk: Chunk, retold: Retold) -> Chunk:
    """Return the chunk without what may not be kept: clauses of gists, whole facts and traits."""
    left = [(one, retold.cut(one.content)) for one in chunk.gists]
    scope = chunk.scope.model_dump(include={"intent", "sentiment", "emotion"})
    return chunk.model_copy(
        update={
            "scope": chunk.scope.model_copy(
                update={name: retold.cut(text) or UNKNOWN for name, text in scope.items()}
            ),
            "gists": tuple(one.model_copy(update={"content": text}) for one, text in left if text),
            "facts": tuple(one for one in chunk.facts if retold.may(one.key, one.value)),
            "user_traits": tuple(one for one in chunk.user_traits if retold.may(one.key, one.value)),
        }
    )


def _cut(held: Policy, texts: Sequence[str]) -> list[str]:
    return ["\n\n".join(held.left(one)) for one in texts]


def _words(text: str) -> set[int]:
    """Return the meaningful words of a text as numbers, in any form of the words."""
    return {number for numbers in question_terms(text, _LANGUAGE).values() for number in numbers}
