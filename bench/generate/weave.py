"""Puts scenes into the mouths of people, and scatters them with small talk over sessions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random

from generate.answers import Advice
from generate.bank import NOISE, Bank, Line, Scene

_CHOICE = re.compile(r"\[([^\[\]]*\|[^\[\]]*)\]")
_GAP = re.compile(r"\{(\w+)(\.q)?\}")
_TRIES = 1000


@dataclass(frozen=True, slots=True)
class Cast:
    """Who talks with whom: ``groups`` of names, and other names by which they go.

    With ``roles`` a group is one user and the assistant; the letters of the scenes are roles then.
    """

    groups: Sequence[Sequence[str]]
    nicknames: Mapping[str, Sequence[str]] = field(default_factory=dict)
    roles: Mapping[str, str] = field(default_factory=dict)
    is_per_user: bool = False


@dataclass(frozen=True, slots=True)
class Style:
    """How full and how long sessions are, and when they take place."""

    begins: datetime
    days: int
    scenes_a_session: int = 3
    small_talk: float = 0.7
    capitals: bool = True


@dataclass(slots=True)
class Spoken:
    """One line with its speaker; ``keys`` are the questions that it answers."""

    letter: str
    speaker: str | None
    text: str
    keys: tuple[int, ...] = ()


@dataclass(slots=True)
class Session:
    """Lines said together by one group."""

    group: int
    starts: datetime
    lines: list[Spoken] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question; its key marks the evidence among the lines."""

    key: int
    text: str
    category: str
    group: int
    scene: str


class Weaver:
    """Weaves one bank with one cast. Everything random comes from ``rng``."""

    def __init__(self, bank: Bank, cast: Cast, style: Style, rng: Random, first_key: int = 0) -> None:
        self._bank, self._cast, self._style, self._rng = bank, cast, style, rng
        self._advice = Advice()
        self._key = first_key
        self.questions: list[Asked] = []
        self._pieces: list[list[list[list[Spoken]]]] = [[] for _ in cast.groups]

    def weave(self) -> list[Session]:
        """All sessions of all groups; the questions are in ``questions`` afterwards."""
        for scene in self._bank.scenes:
            used: set[str] = set()
            for number in range(scene.count):
                self._play(scene, number, used)
        return [session for group in range(len(self._cast.groups)) for session in self._sessions(group)]

    def _play(self, scene: Scene, number: int, used: set[str]) -> None:
        group, names = self._speakers(scene, number, used)
        values = {name: slot[number] for name, slot in scene.slots.items()}
        keys: tuple[int, ...] = ()
        if scene.questions:
            keys = (self._key,)
            text = self._filled(scene.questions[number % len(scene.questions)], names, values)
            self.questions.append(Asked(self._key, text, scene.category, group, scene.name))
            self._key += 1
        parts = [[self._spoken(line, names, values, keys) for line in part] for part in scene.parts]
        self._pieces[group].append(parts)

    def _speakers(self, scene: Scene, number: int, used: set[str]) -> tuple[int, dict[str, str]]:
        """A group and its members by letter; whom a question is about is somebody else each time."""
        if self._cast.roles:
            group = number % len(self._cast.groups)
            return group, dict(zip(self._cast.roles, (*self._cast.groups[group], ""), strict=False))
        for _ in range(_TRIES):
            group = self._rng.randrange(len(self._cast.groups))
            members = self._cast.groups[group]
            one, other = self._rng.sample(members, k=2)
            if scene.category == NOISE or other not in used:
                used.add(other)
                return group, {"A": one, "B": other}
        raise ValueError(f"{scene.name}: too few people for {scene.count} instances")

    def _spoken(
        self,
        line: Line,
        names: Mapping[str, str],
        values: Mapping[str, tuple[str, str]],
        keys: tuple[int, ...],
    ) -> Spoken:
        text = self._filled(line.text, names, values)
        if line.topic is not None:
            text = self._advice.answer(line.topic, text, self._rng)
        if self._style.capitals:
            text = text[0].upper() + text[1:]
        speaker = None if self._cast.roles else names[line.speaker]
        return Spoken(line.speaker, speaker, text, keys if line.is_evidence else ())

    def _filled(self, text: str, names: Mapping[str, str], values: Mapping[str, tuple[str, str]]) -> str:
        text = _CHOICE.sub(lambda found: self._rng.choice(found[1].split("|")), text)

        def gap(found: re.Match[str]) -> str:
            if found[1] in values:
                return values[found[1]][1 if found[2] else 0]
            name = names[found[1]]
            nicknames = self._cast.nicknames.get(name, ())
            return self._rng.choice(nicknames) if nicknames and self._rng.random() < 0.3 else name

        return _GAP.sub(gap, text)

    def _sessions(self, group: int) -> list[Session]:
        pieces = self._pieces[group]
        count = max(2, -(-sum(len(parts) for parts in pieces) // self._style.scenes_a_session))
        plan: list[list[list[Spoken]]] = [[] for _ in range(count)]
        for parts in pieces:
            chosen = sorted(self._rng.sample(range(count), k=len(parts)))
            for session, part in zip(chosen, parts, strict=True):
                plan[session].append(part)
        minutes = sorted(self._rng.sample(range(self._style.days * 24 * 2), k=count))
        starts = [self._style.begins + timedelta(minutes=30 * m) for m in minutes]
        filled = [(start, parts) for start, parts in zip(starts, plan, strict=True) if parts]
        return [Session(group, start, self._with_small_talk(parts, group)) for start, parts in filled]

    def _with_small_talk(self, parts: list[list[Spoken]], group: int) -> list[Spoken]:
        self._rng.shuffle(parts)
        lines: list[Spoken] = []
        for part in parts:
            if self._bank.chatter and self._rng.random() < self._style.small_talk:
                lines.extend(self._small_talk(group))
            lines.extend(part)
        return lines

    def _small_talk(self, group: int) -> list[Spoken]:
        said = self._rng.choice(self._bank.chatter)
        if self._cast.roles:
            letters = list(self._cast.roles)
            return [Spoken(letter, None, text) for letter, text in zip(letters, said, strict=False)]
        members = self._rng.sample(self._cast.groups[group], k=2)
        return [Spoken("A", name, text) for name, text in zip(members, said, strict=False)]
