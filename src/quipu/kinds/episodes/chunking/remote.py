"""An exchange read by a language model; the rules read what it fails at, and the reason is kept."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from quipu.errors import LanguageFailed
from quipu.kernel.language.model import Language
from quipu.kernel.language.prompt import entry, label
from quipu.kernel.redact import redact
from quipu.kinds.episodes.chunking import rules
from quipu.kinds.episodes.chunking.model import Chunked, Talk
from quipu.kinds.episodes.shapes import Chunk

VERSION: Final = 1
"""To be raised with every change of the prompt that finds more or better."""

PURPOSE: Final = "episodes.chunk"
"""Under which the tokens are counted."""

MOST_CHARACTERS: Final = 12_000
_LONGEST_TURN: Final = 6_000
_LONGEST_TROUBLE: Final = 500
_PROMPT: Final = Path(__file__).with_name("prompts") / "chunk.md"


class RemoteChunker:
    """Asks a language model, an exchange at a time. Each model is a chunker of its own name."""

    def __init__(self, language: Language) -> None:
        self._language = language
        self.name = f"llm:{language.name}"
        self.version = VERSION

    async def read(self, talks: Sequence[Talk]) -> list[Chunked]:
        """Return the content of each exchange; by rules, with the trouble, if the model gave no answer.

        An exchange in which nobody wrote a word is not sent.
        """
        return [await self._one(talk) for talk in talks]

    async def _one(self, talk: Talk) -> Chunked:
        text = shown(talk)
        if not any(character.isalnum() for turn in talk.turns for character in turn.text):
            return Chunked(rules.chunk(talk), rules.NAME, rules.VERSION)
        instructions = _PROMPT.read_text("utf-8").replace("{who}", talk.who)
        try:
            chunk = await self._language.structured(
                instructions=instructions, text=text, shape=Chunk, purpose=PURPOSE
            )
        except LanguageFailed as error:
            trouble = redact(str(error)).text[:_LONGEST_TROUBLE]
            return Chunked(rules.chunk(talk), rules.NAME, rules.VERSION, trouble)
        return Chunked(_without_secrets(chunk), self.name, self.version)


def shown(talk: Talk) -> str:
    """Return the exchange as text, turn by turn; long turns are cut, and the whole at 12,000 characters."""
    lines: list[str] = []
    for turn in talk.turns:
        who = turn.speaker or ("the user" if turn.asked else "the assistant")
        text = turn.text if len(turn.text) <= _LONGEST_TURN else f"{turn.text[:_LONGEST_TURN]} [...]"
        if text.strip():
            lines.append(entry(f"{label(who)}:", text))
    return "\n".join(lines)[:MOST_CHARACTERS]


def _without_secrets(chunk: Chunk) -> Chunk:
    """Redact what a model wrote as everything else is: it may have put a secret together again."""
    return Chunk.model_validate_json(redact(chunk.model_dump_json()).text)
