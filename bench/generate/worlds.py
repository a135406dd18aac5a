"""The kinds of conversation: who talks, about what, and how it becomes a file of ``bench/data``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from generate.bank import read
from generate.weave import Asked, Cast, Session, Style, Weaver

_PEOPLE = {
    "Alexandra": ("Sasha", "Alex"),
    "Bogdan": ("Bo",),
    "Katarina": ("Kat",),
    "Oluwaseun": ("Seun",),
    "Margarethe": ("Greta",),
    "Theodore": ("Teddy",),
    "Francisca": ("Fran",),
    "Mohammed": ("Mo",),
    "Elisabeth": ("Betty",),
    "Nikolai": ("Kolya",),
    "Priyanka": ("Pri",),
    "Sebastián": ("Seba",),
}
_THREADS = 16
_ROLES = {"U": "user", "S": "assistant"}


@dataclass(frozen=True, slots=True)
class Part:
    """One bank with its cast and style."""

    bank: str
    cast: Cast
    style: Style


@dataclass(frozen=True, slots=True)
class World:
    """One file: several parts may share the space."""

    name: str
    language: str
    seed: int
    parts: Sequence[Part]


def worlds() -> list[World]:
    """All kinds, in the order of their names."""
    return [_assistant(), _chinese(), _coding(), _german(), _threads()]


def _threads() -> World:
    rng = Random(12)
    groups = [tuple(rng.sample(list(_PEOPLE), k=rng.choice((2, 2, 3, 4)))) for _ in range(_THREADS)]
    style = Style(datetime(2024, 2, 1, 8, tzinfo=UTC), days=300)
    return World("threads", "english", 1, [Part("threads", Cast(groups, _PEOPLE), style)])


def _german() -> World:
    people = {
        "Annika": ("Anni",),
        "Jürgen": (),
        "Friederike": ("Rike",),
        "Thorsten": ("Totti",),
        "Magdalena": ("Leni",),
    }
    style = Style(datetime(2024, 3, 4, 7, tzinfo=UTC), days=240)
    return World("german", "german", 2, [Part("german", Cast([tuple(people)], people), style)])


def _chinese() -> World:
    chinese = {"林晓雨": ("小雨",), "陈志强": ("强子",), "王婷婷": ("婷婷",), "赵明": ("阿明",)}
    japanese = {"佐藤健": ("健",), "高橋美咲": ("美咲",), "小林葵": ("葵",)}
    thai = {"สมชาย": ("ชาย",), "มาลี": (), "กมล": ()}
    begins = datetime(2024, 1, 10, 0, tzinfo=UTC)
    parts = [
        Part("chinese", Cast([tuple(chinese)], chinese), Style(begins, days=200)),
        Part("japanese", Cast([tuple(japanese)], japanese), Style(begins, days=120)),
        Part("thai", Cast([tuple(thai)], thai), Style(begins, days=120)),
    ]
    return World("chinese", "chinese", 3, parts)


def _coding() -> World:
    style = Style(datetime(2025, 1, 8, 7, tzinfo=UTC), days=180, small_talk=0.5, capitals=False)
    return World("coding", "english", 4, [Part("coding", Cast([("dev",)], roles=_ROLES), style)])


def _assistant() -> World:
    cast = Cast([("ana",), ("bertil",), ("chiara",)], roles=_ROLES, is_per_user=True)
    style = Style(datetime(2025, 2, 3, 7, tzinfo=UTC), days=150, scenes_a_session=1)
    return World("assistant", "english", 5, [Part("assistant", cast, style)])


def make(world: World) -> dict[str, Any]:
    """The file of a world: ``{"name", "language", "messages", "questions"}``."""
    rng = Random(world.seed)
    told: list[tuple[Part, Session]] = []
    asked: list[tuple[Part, Asked]] = []
    for part in world.parts:
        weaver = Weaver(read(part.bank), part.cast, part.style, rng, first_key=len(asked))
        told += [(part, session) for session in weaver.weave()]
        asked += [(part, question) for question in weaver.questions]
    told.sort(key=lambda pair: pair[1].starts)
    messages, evidence = _messages(world, told, rng)
    return {
        "name": world.name,
        "language": world.language,
        "messages": messages,
        "questions": _questions(asked, evidence),
    }


def _messages(
    world: World, told: Sequence[tuple[Part, Session]], rng: Random
) -> tuple[list[dict[str, object]], dict[int, list[str]]]:
    messages: list[dict[str, object]] = []
    evidence: dict[int, list[str]] = {}
    for number, (part, session) in enumerate(told, 1):
        at = session.starts
        for line in session.lines:
            id_ = f"{world.name}-{len(messages) + 1:04}"
            at += timedelta(seconds=rng.randint(8, 90))
            message: dict[str, object] = {"id": id_, "session": f"{world.name}-s{number:03}"}
            message["role"] = part.cast.roles.get(line.letter, "user")
            if line.speaker is not None:
                message["speaker"] = line.speaker
            if part.cast.is_per_user:
                message["user"] = part.cast.groups[session.group][0]
            messages.append(message | {"content": line.text, "time": at.isoformat().replace("+00:00", "Z")})
            for key in line.keys:
                evidence.setdefault(key, []).append(id_)
    return messages, evidence


def _questions(
    asked: Sequence[tuple[Part, Asked]], evidence: dict[int, list[str]]
) -> list[dict[str, object]]:
    """Whole scenes fall into one half, so that the wording of the other half is new to whoever tuned."""
    scenes = list(dict.fromkeys(question.scene for _, question in asked))
    questions: list[dict[str, object]] = []
    for part, question in asked:
        entry: dict[str, object] = {"question": question.text, "evidence": evidence[question.key]}
        entry["category"] = question.category
        entry["half"] = "tune" if scenes.index(question.scene) % 2 == 0 else "report"
        if part.cast.is_per_user:
            entry["user"] = part.cast.groups[question.group][0]
        questions.append(entry)
    _refuse_ambiguous(questions)
    return questions


def _refuse_ambiguous(questions: Sequence[dict[str, object]]) -> None:
    seen = Counter((question["question"], question.get("user")) for question in questions)
    twice = [text for (text, _), count in seen.items() if count > 1]
    if twice:
        raise ValueError(f"the same question has two answers: {twice}")
