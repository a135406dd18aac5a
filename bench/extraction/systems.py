"""What is compared: the extractor, its patterns alone, and a search for keywords."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, TypeAlias

from extraction.labelled import Label, Labelled
from quipu.kernel.config import Settings
from quipu.kernel.embedding.choose import choose
from quipu.kinds.transcripts.extract.extractor import RulesExtractor
from quipu.kinds.transcripts.extract.model import SessionTurn

Found: TypeAlias = list[Label]

_KEYWORDS: Final = {
    "todo": r"\b(?:todo|fixme|remind me|later|still need|need to|have to)\b",
    "corrections": r"^(?:no|nope|wrong|actually)\b|\b(?:that's wrong|incorrect|i said)\b",
    "patterns": r"\b(?:every time|whenever|usually|before each|after each|workflow)\b",
    "preferences": r"\b(?:prefer|always|never|don't|like|hate|avoid|please)\b",
    "context": r"\b(?:we use|decided|architecture|convention|project)\b",
    "knowledge": r"\b(?:port|runs on|version|server|database|is at)\b",
}
_SENTENCE: Final = re.compile(r"[^.!?\n]+[.!?]*")


async def whole(turns: Sequence[Labelled]) -> list[Found]:
    """What the extractor finds in each turn, each taken as a session of its own."""
    embedder = choose(Settings())
    try:
        return await _extracted(RulesExtractor(embedder), turns)
    finally:
        await embedder.aclose()


async def patterns_alone(turns: Sequence[Labelled]) -> list[Found]:
    """The same without the embedding."""
    return await _extracted(RulesExtractor(), turns)


def keywords(turns: Sequence[Labelled]) -> list[Found]:
    """Every sentence of the user with a keyword, in the first category that has one."""
    return [_by_keyword(turn) if turn.role == "user" else [] for turn in turns]


async def _extracted(extractor: RulesExtractor, turns: Sequence[Labelled]) -> list[Found]:
    found: list[Found] = []
    for turn in turns:
        extraction = await extractor.extract([SessionTurn(index=0, role=turn.role, text=turn.text)])
        spans = [
            (one.category, turn.text.index(one.excerpt), len(one.excerpt)) for one in extraction.findings
        ]
        found.append([Label(category, start, start + length) for category, start, length in spans])
    return found


def _by_keyword(turn: Labelled) -> Found:
    found: Found = []
    for sentence in _SENTENCE.finditer(turn.text):
        text = sentence[0].strip().lower()
        category = next((name for name, words in _KEYWORDS.items() if re.search(words, text)), None)
        if category is not None:
            found.append(Label(category, sentence.start(), sentence.end()))
    return found
