"""A language model as extractor: what it cites is looked up, what does not stand there is dropped."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel, Field

from quipu.errors import QuipuError
from quipu.kernel.base.prompt_text import without_invisible
from quipu.kernel.language.model import Language
from quipu.kernel.language.prompt import entry, label
from quipu.kinds.transcripts.extract.model import Extraction, Finding, SessionTurn
from quipu.kinds.transcripts.extract.sameness import normal_form

VERSION: Final = 1
"""To be raised with every change of the prompt that finds more or better."""

PURPOSE: Final = "transcripts.extract"
"""Under which the tokens are counted."""

CHUNK_CHARACTERS: Final = 12_000
LONGEST_TURN: Final = 4_000
LONGEST_OF_THE_AGENT: Final = 600

_PROMPT: Final = Path(__file__).with_name("prompts") / "extract.md"
_SPACE: Final = re.compile(r"\s+")


class ExtractedFact(BaseModel):
    """One fact that is worth knowing in later sessions."""

    fact: str = Field(min_length=1, max_length=1_000, description="One sentence that stands alone.")
    category: Literal["preferences", "knowledge", "patterns", "context", "corrections", "todo"]
    confidence: float = Field(ge=0, le=1)
    turn: int = Field(ge=0, description="The number of the turn that says it.")
    excerpt: str = Field(min_length=1, max_length=1_000, description="Words of the turn, letter by letter.")


class ExtractedFacts(BaseModel):
    """Everything that is worth keeping, possibly nothing."""

    facts: list[ExtractedFact] = Field(max_length=100)


class RemoteExtractor:
    """Asks a language model, some turns at a time. Each model is an extractor of its own name."""

    def __init__(self, language: Language) -> None:
        self._language = language
        self.name = f"llm:{language.name}"
        self.version = VERSION

    async def extract(self, turns: Sequence[SessionTurn], *, project: str | None = None) -> Extraction:
        """Return the facts of the model that the turns say; with the error if it failed before the end.

        Raises:
            LanguageFailed: no answer, or none that fits, at the first part already.
            BudgetSpent: the tokens of the day are used up.
        """
        findings: dict[tuple[str, str], Finding] = {}
        by_index = {turn.index: turn for turn in turns if turn.role == "user"}
        dropped, answered = 0, False
        for text in chunks(turns, project=project):
            try:
                facts = await self._asked(text)
            except QuipuError as error:
                if not answered:
                    raise
                return Extraction(tuple(findings.values()), dropped, str(error))
            answered = True
            for fact in facts:
                finding = founded(fact, by_index.get(fact.turn))
                if finding is None:
                    dropped += 1
                else:
                    findings.setdefault((finding.category, normal_form(finding.fact)), finding)
        return Extraction(tuple(findings.values()), dropped)

    async def _asked(self, text: str) -> list[ExtractedFact]:
        answer = await self._language.structured(
            instructions=_PROMPT.read_text("utf-8"), text=text, shape=ExtractedFacts, purpose=PURPOSE
        )
        return answer.facts


def chunks(turns: Sequence[SessionTurn], *, project: str | None) -> Iterator[str]:
    """Yield the session as text, in parts of about 12,000 characters that end between turns.

    A part in which no person said anything is left out. Long turns are cut, those of the agent sooner.
    """
    head = f"Project: {label(project)}\n\n" if project else ""
    part: list[str] = []
    size, spoken = 0, False
    for turn in turns:
        if turn.role not in ("user", "assistant") or not turn.text.strip():
            continue
        shown = _shown(turn)
        if part and size + len(shown) > CHUNK_CHARACTERS:
            if spoken:
                yield head + "\n".join(part)
            part, size, spoken = [], 0, False
        part.append(shown)
        size, spoken = size + len(shown), spoken or turn.role == "user"
    if spoken:
        yield head + "\n".join(part)


def founded(fact: ExtractedFact, turn: SessionTurn | None) -> Finding | None:
    """Return the finding, quoting the turn letter by letter; None if the person said no such thing.

    White space may differ from the turn: models fold lines.
    """
    excerpt = None if turn is None else _quoted(fact.excerpt, turn.text)
    if turn is not None and excerpt is None:  # the model was shown the turn without what nobody sees
        excerpt = _quoted(fact.excerpt, without_invisible(turn.text))
    if turn is None or excerpt is None:
        return None
    return Finding(
        fact=" ".join(fact.fact.split()),
        category=fact.category,
        confidence=fact.confidence,
        turn_index=turn.index,
        excerpt=excerpt,
        message_id=turn.message_id,
        happened_at=turn.happened_at,
    )


def _quoted(excerpt: str, text: str) -> str | None:
    words = [re.escape(word) for word in _SPACE.split(excerpt.strip()) if word]
    match = re.search(r"\s+".join(words), text) if words else None
    return None if match is None else match[0]


def _shown(turn: SessionTurn) -> str:
    longest = LONGEST_TURN if turn.role == "user" else LONGEST_OF_THE_AGENT
    who = "user" if turn.role == "user" else "agent"
    text = turn.text if len(turn.text) <= longest else f"{turn.text[:longest]} [...]"
    return entry(f"[{turn.index} {who}]", text)
