"""What is compared: the evaluator, its sayings alone, and a search for keywords."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from evaluation.labelled import Labelled
from quipu.kernel.config import Settings
from quipu.kernel.embedding.choose import choose
from quipu.kinds.longterm.evaluation.rules import RulesEvaluator
from quipu.kinds.longterm.model import Category, Deletion, Evaluation, Inclusion

_KEYWORDS: Final[tuple[tuple[Category, str], ...]] = (
    ("naming", r"\bcall (?:me|you)\b|\bnickname"),
    ("favorite_things", r"\bfavou?rite\b"),
    ("pets", r"\b(?:dog|cat|puppy|kitten|rabbit|parrot|hamster|horse|pet)s?\b"),
    (
        "relationships",
        r"\bmy (?:wife|husband|son|daughter|mother|mom|father|dad|brother|sister|friend|boss)\b",
    ),
    ("languages", r"\b(?:i speak|learning|fluent|native language)\b"),
    ("professional_profile", r"\b(?:i work|my job|studying|i'm a|i am a)\b"),
    ("constraint", r"\b(?:i can't|i don't|never|must|vegan|vegetarian)\b"),
    ("personal_data", r"\b(?:birthday|address|e-?mail|phone|size)\b"),
    ("project", r"\b(?:building|writing|working on|planning)\b"),
    ("preference", r"\b(?:i like|i love|i prefer|i hate|always)\b"),
    ("identity", r"\b(?:i live|my name|years old|i'm from|i am)\b"),
    ("context", r"\b(?:currently|i use|right now|remember)\b"),
)
_FORGET: Final = re.compile(r"\b(?:forget|delete|no longer|not true|any ?more)\b", re.IGNORECASE)


async def evaluated(labelled: Sequence[Labelled], *, meaning: bool = True) -> list[Evaluation]:
    """What the evaluator asks for in each conversation; without ``meaning`` only by its sayings."""
    embedder = choose(Settings()) if meaning else None
    evaluator = RulesEvaluator(embedder)
    try:
        return [
            await evaluator.evaluate(one.asked, since=len(one.asked.recent_conversation) - 1)
            for one in labelled
        ]
    finally:
        if embedder is not None:
            await embedder.aclose()


def keywords(labelled: Sequence[Labelled]) -> list[Evaluation]:
    """Every sentence of the user with a keyword; "forget" deletes whatever memory there is."""
    return [_by_keyword(one) for one in labelled]


def _by_keyword(one: Labelled) -> Evaluation:
    turn = one.asked.recent_conversation[-1]
    if turn.role != "user":
        return Evaluation()
    if one.asked.existing_memories and _FORGET.search(turn.content):
        return Evaluation(deletions=tuple(Deletion(id=m.id) for m in one.asked.existing_memories))
    found: list[Inclusion] = []
    for sentence in re.findall(r"[^.!?\n]+[.!?]*", turn.content):
        matching: list[Category] = [name for name, words in _KEYWORDS if re.search(words, sentence.lower())]
        if matching:
            found.append(Inclusion(category=matching[0], importance="medium", summary=sentence.strip()))
    return Evaluation(inclusions=tuple(found))
