"""LoCoMo (snap-research/LoCoMo, ``data/locomo10.json``): ten long chats between two people each."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from quality.model import Conversation, Half, Message, Question

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
TUNE_CONVERSATIONS = 5
_EVIDENCE = re.compile(r"D:?(\d+):(\d+)")
_EVIDENCE_SESSION = re.compile(r"D(\d+):")
_SESSION_KEY = re.compile(r"session_(\d+)")


def load(path: Path) -> list[Conversation]:
    """The ten conversations; the first five are the half to tune on."""
    raw = json.loads(path.read_text(encoding="utf-8"))
    return [_conversation(entry, number) for number, entry in enumerate(raw)]


def normalised_evidence(evidence: Iterable[str]) -> tuple[str, ...]:
    """Turn ids as the chat has them: ``D8:6; D9:17``, ``D:11:26``, ``D30:05`` are split and repaired."""
    found = (f"D{int(s)}:{int(t)}" for entry in evidence for s, t in _EVIDENCE.findall(entry))
    return tuple(dict.fromkeys(found))


def published_sessions(evidence: Iterable[str]) -> frozenset[str]:
    """The evidence sessions as MemPalace's script reads them: by the start of each id, unmended."""
    matches = (_EVIDENCE_SESSION.match(entry) for entry in evidence)
    return frozenset(f"session_{match[1]}" for match in matches if match)


def session_start(text: str) -> datetime:
    """``1:56 pm on 8 May, 2023`` in UTC."""
    return datetime.strptime(text, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)


def _conversation(entry: Mapping[str, Any], number: int) -> Conversation:
    half: Half = "tune" if number < TUNE_CONVERSATIONS else "report"
    return Conversation(
        name=f"locomo-{entry['sample_id']}",
        messages=tuple(_messages(entry["conversation"])),
        questions=tuple(_question(qa, half) for qa in entry["qa"]),
    )


def _messages(conversation: Mapping[str, Any]) -> Iterator[Message]:
    numbers = sorted(int(m[1]) for key in conversation if (m := _SESSION_KEY.fullmatch(key)))
    for number in numbers:
        session = f"session_{number}"
        start = session_start(conversation[f"{session}_date_time"])
        turns: Sequence[Mapping[str, Any]] = conversation[session]
        for second, turn in enumerate(turns):
            yield Message(
                id=turn["dia_id"],
                content=_content(turn),
                session=session,
                speaker=turn["speaker"],
                time=(start + timedelta(seconds=second)).isoformat(),
            )


def _content(turn: Mapping[str, Any]) -> str:
    caption = turn.get("blip_caption")
    return f"{turn['text']} [image: {caption}]" if caption else turn["text"]


def _question(qa: Mapping[str, Any], half: Half) -> Question:
    return Question(
        text=qa["question"],
        evidence=normalised_evidence(qa["evidence"]),
        evidence_sessions=published_sessions(qa["evidence"]),
        category=CATEGORIES[qa["category"]],
        half=half,
        answer=str(qa["answer"]) if "answer" in qa else None,
    )
