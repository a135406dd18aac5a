"""The two readers of exchanges: rules, and a language model with the rules behind it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from anyio import to_thread

from quipu.errors import LanguageFailed
from quipu.kernel.language.model import Language
from quipu.kernel.language.prompt import entry, label
from quipu.kernel.redact import redact
from quipu.kinds.episodes.chunking.emotion import Felt, feel
from quipu.kinds.episodes.chunking.facts import facts, traits
from quipu.kinds.episodes.chunking.gists import Judged, gists, judge
from quipu.kinds.episodes.chunking.model import Chunked, Talk
from quipu.kinds.episodes.chunking.style import measure
from quipu.kinds.episodes.shapes import Chunk, Scope

PROMPT_VERSION: Final = 1
"""To be raised with every change of the prompt that finds more or better."""

PURPOSE: Final = "episodes.chunk"
"""Under which the tokens are counted."""

MOST_CHARACTERS: Final = 12_000
_LONGEST_TURN: Final = 6_000
_LONGEST_TROUBLE: Final = 500
_PROMPT: Final = Path(__file__).with_name("prompts") / "chunk.md"


RULES: Final = "rules"
RULES_VERSION: Final = 1
"""To be raised with every change of the rules that finds more or better."""

_QUICK_CHARACTERS: Final = 4_000


_REQUESTING: Final = "requesting"
_ASKING: Final = "asking"
_NAMES: Final = {
    "decision": "deciding",
    "commitment": "committing",
    "preference": "telling a preference",
    "uncertainty": "weighing",
    "intent": "planning",
    "fact": "telling",
}


def scope(judged: Sequence[Judged], felt: Felt) -> Scope:
    """Return the intent of most sentences (in a tie, the rarest type), the sentiment and the emotion."""
    own = [one for one in judged if one.began]
    types = Counter(one.type for one in own if one.type is not None)
    questions = sum(one.text.rstrip().endswith("?") for one in own)
    if types:
        order = list(_NAMES)
        best = min(types, key=lambda one: (-types[one], order.index(one)))
        intent = _REQUESTING if best == "intent" and questions else _NAMES[best]
    else:
        intent = _ASKING if questions else "chatting"
    sure = 6.0 if types else 4.0 if questions else 2.0
    return Scope(intent=intent, sentiment=felt.valence, emotion=felt.dominant, confidence=sure)


def chunk(talk: Talk) -> Chunk:
    """Return the content of an exchange. Feelings, facts, traits and style are of the one who began it."""
    judged = judge(talk)
    own = [turn.text for turn in talk.turns if turn.began]
    felt = feel("\n".join(own))
    return Chunk(
        scope=scope(judged, felt),
        emotion=felt.feelings,
        gists=gists(judged),
        user_traits=traits(judged),
        facts=facts(judged),
        communication_style=measure(own),
    )


class RulesChunker:
    """Reads exchanges by rules: those in English; of others it keeps emoji, style and little else."""

    name = RULES
    version = RULES_VERSION

    async def read(self, talks: Sequence[Talk]) -> list[Chunked]:
        """Return the content of each exchange."""
        if sum(len(turn.text) for talk in talks for turn in talk.turns) < _QUICK_CHARACTERS:
            return _read(talks)
        return await to_thread.run_sync(_read, talks)


def _read(talks: Sequence[Talk]) -> list[Chunked]:
    return [Chunked(chunk(talk), RULES, RULES_VERSION) for talk in talks]


class RemoteChunker:
    """Asks a language model, an exchange at a time. Each model is a chunker of its own name."""

    def __init__(self, language: Language) -> None:
        self._language = language
        self.name = f"llm:{language.name}"
        self.version = PROMPT_VERSION

    async def read(self, talks: Sequence[Talk]) -> list[Chunked]:
        """Return the content of each exchange; by rules, with the trouble, if the model gave no answer.

        An exchange in which nobody wrote a word is not sent.
        """
        return [await self._one(talk) for talk in talks]

    async def _one(self, talk: Talk) -> Chunked:
        text = shown(talk)
        if not any(character.isalnum() for turn in talk.turns for character in turn.text):
            return Chunked(chunk(talk), RULES, RULES_VERSION)
        instructions = _PROMPT.read_text("utf-8").replace("{who}", talk.who)
        try:
            answer = await self._language.structured(
                instructions=instructions, text=text, shape=Chunk, purpose=PURPOSE
            )
        except LanguageFailed as error:
            trouble = redact(str(error)).text[:_LONGEST_TROUBLE]
            return Chunked(chunk(talk), RULES, RULES_VERSION, trouble)
        return Chunked(_without_secrets(answer), self.name, self.version)


def shown(talk: Talk) -> str:
    """Return the exchange as text, turn by turn; long turns are cut, and the whole at 12,000 characters."""
    lines: list[str] = []
    for turn in talk.turns:
        who = turn.speaker or ("the user" if turn.began else "the assistant")
        text = turn.text if len(turn.text) <= _LONGEST_TURN else f"{turn.text[:_LONGEST_TURN]} [...]"
        if text.strip():
            lines.append(entry(f"{label(who)}:", text))
    return "\n".join(lines)[:MOST_CHARACTERS]


def _without_secrets(chunk: Chunk) -> Chunk:
    """Redact what a model wrote as everything else is: it may have put a secret together again."""
    return Chunk.model_validate_json(redact(chunk.model_dump_json()).text)
