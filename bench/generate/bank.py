"""Reads a bank: hand-written scenes, each with a question and its evidence, and small talk.

    == name x3 :category        three instances; ``:noise`` has no question
    @ slot: said ~ asked | …    the values of a slot, one for each instance; ``asked`` is its other word
    A: text                     a line; ``*`` after the letter marks evidence, ``~topic`` a long answer
    ---                         what follows comes in a later session
    ? question                  several: the instances take turns

``{A}`` is a name, ``{slot}`` a value, ``{slot.q}`` its other word, ``[this|that]`` either.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

BANKS = Path(__file__).resolve().parent / "banks"
NOISE = "noise"
_HEAD = re.compile(r"== (?P<name>\S+) x(?P<count>\d+) :(?P<category>\S+)")
_LINE = re.compile(r"(?P<speaker>[A-Z])(?P<evidence>\*)?(?:~(?P<topic>\w+))?(?::\s*(?P<text>.*))?")


@dataclass(frozen=True, slots=True)
class Line:
    """What one speaker says; with a ``topic`` the text is wrapped in a long answer about it."""

    speaker: str
    text: str
    is_evidence: bool
    topic: str | None


@dataclass(frozen=True, slots=True)
class Scene:
    """A small dialogue with gaps. ``parts`` are lines said together, each some sessions after the last."""

    name: str
    count: int
    category: str
    slots: Mapping[str, Sequence[tuple[str, str]]]
    parts: tuple[tuple[Line, ...], ...]
    questions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Bank:
    """The scenes of one file and its small talk, each a line or a line and its reply."""

    scenes: tuple[Scene, ...]
    chatter: tuple[tuple[str, ...], ...]


def read(name: str, folder: Path = BANKS) -> Bank:
    """The bank ``NAME.txt``; ValueError at a line that is none of the forms above."""
    scenes: list[Scene] = []
    chatter: tuple[tuple[str, ...], ...] = ()
    for head, body in blocks(name, folder):
        if head == "== chatter":
            chatter = tuple(tuple(part.strip() for part in line.split(" | ")) for line in body)
        else:
            scenes.append(_scene(head, body))
    return Bank(tuple(scenes), chatter)


def blocks(name: str, folder: Path = BANKS) -> Iterator[tuple[str, list[str]]]:
    """The head and the lines of each block of a bank."""
    text = (folder / f"{name}.txt").read_text(encoding="utf-8")
    for block in re.split(r"(?m)^(?=== )", text):
        lines = [line for line in block.splitlines() if line.strip()]
        if lines:
            yield lines[0], lines[1:]


def _scene(head: str, body: Sequence[str]) -> Scene:
    found = _HEAD.fullmatch(head)
    if not found:
        raise ValueError(f"not the head of a scene: {head!r}")
    slots = dict(_slot(line) for line in body if line.startswith("@ "))
    questions = [line[2:] for line in body if line.startswith("? ")]
    spoken = [line for line in body if line[:2] not in ("@ ", "? ")]
    scene = Scene(
        name=found["name"],
        count=int(found["count"]),
        category=found["category"],
        slots=slots,
        parts=tuple(tuple(_line(line) for line in part) for part in _parts(spoken)),
        questions=tuple(questions),
    )
    if bool(questions) == (scene.category == NOISE):
        raise ValueError(f"{scene.name}: a question is needed, or the category {NOISE!r}")
    if any(len(values) != scene.count for values in slots.values()):
        raise ValueError(f"{scene.name}: each slot needs {scene.count} values")
    return scene


def _slot(line: str) -> tuple[str, list[tuple[str, str]]]:
    name, values = line[2:].split(": ", 1)
    pairs = (value.strip().partition(" ~ ") for value in values.split(" | "))
    return name, [(said.strip(), (asked or said).strip()) for said, _, asked in pairs]


def _parts(lines: Sequence[str]) -> list[list[str]]:
    parts: list[list[str]] = [[]]
    for line in lines:
        if line == "---":
            parts.append([])
        else:
            parts[-1].append(line)
    return parts


def _line(line: str) -> Line:
    found = _LINE.fullmatch(line)
    if not found:
        raise ValueError(f"not a line of a scene: {line!r}")
    return Line(found["speaker"], found["text"] or "", bool(found["evidence"]), found["topic"])
