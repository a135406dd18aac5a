"""What an exchange yields without what the policy does not let be kept of people. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from quipu.kernel.policy.policy import Policy, asks
from quipu.kernel.prose.splitting import sentences
from quipu.kinds.episodes.chunking.model import Talk
from quipu.kinds.episodes.shapes import Chunk, Fact, Trait

_ENOUGH: Final = 0.5
"""Share of a text's words that a sentence must have to be what it is from."""

_WORD: Final = re.compile(r"\w{3,}")


def allowed(chunk: Chunk, talk: Talk, policy: Policy) -> Chunk:
    """The chunk without what may not be kept, whoever found it: clauses of gists, whole facts and traits."""
    asking = [one.text for turn in talk.turns if turn.asked for one in sentences(turn.text) if asks(one.text)]

    def may(one: Fact | Trait) -> bool:
        return policy.refused(told(one.key, one.value), asked=_from(one.value, asking)) is None

    left = [(one, policy.cut(one.content, asked=_from(one.content, asking))) for one in chunk.gists]
    return chunk.model_copy(
        update={
            "gists": tuple(one.model_copy(update={"content": text}) for one, text in left if text),
            "facts": tuple(one for one in chunk.facts if may(one)),
            "user_traits": tuple(one for one in chunk.user_traits if may(one)),
        }
    )


def told(key: str, value: str) -> str:
    """What a key and its value say of a person, as the policy reads it."""
    return f"The user has {key.replace('_', ' ')} {value}"


def _from(text: str, asking: Sequence[str]) -> bool:
    words = _words(text)
    return any(len(words & _words(one)) >= _ENOUGH * len(words) for one in asking)


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.lower()))
