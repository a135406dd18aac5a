"""Notes in Markdown as Basic Memory and Obsidian write them: what a line of a list says.

``- [category] text #tag (context)`` is an observation, ``- [ ] text`` a task, ``- relation [[Target]]
(context)`` a relation, any other ``[[Target]]`` a link. What stands in blocks of code and in quotations is
none of them, nor is a time of a transcript in brackets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from quipu.app.imports.found import JSON

_ITEM: Final = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s+(?P<text>\S.*)")
_FENCE: Final = re.compile(r"\s{0,3}(?P<mark>`{3,}|~{3,})")
_TASK: Final = re.compile(r"\[(?P<mark>[^\[\]\w]|[xX])\]\s+(?P<text>\S.*)")
_OBSERVATION: Final = re.compile(r"\[(?P<category>[^\[\]()]{1,100})\]\s+(?P<text>\S.*)")
_CLOCK: Final = re.compile(r"\d{1,3}:\d{2}(?::\d{2})?(?:[.,]\d{1,3})?(?:\s+-\s+[\d:.,]+)?")
_RELATION: Final = re.compile(
    r"""(?P<type>"[^"]+"|'[^']+'|[^\s\["']+)\s*\[\[(?P<target>[^\[\]]+)\]\]\s*(?:\((?P<context>.*)\))?\s*"""
)
_LINK: Final = re.compile(r"(?<!!)\[\[(?P<target>[^\[\]]{1,500})\]\]")
_CONTEXT: Final = re.compile(r"\s\((?P<context>[^()]*)\)$")
_TAG: Final = re.compile(r"(?:^|\s)#(?P<tag>[^\s#]+)")
_DUE: Final = re.compile(r"\s*(?:📅|\(due::|\bdue:)\s*(?P<due>\d{4}-\d{2}-\d{2})\)?")
_OPEN: Final = frozenset(" /")
_DROPPED: Final = frozenset("xX-")
_MOST_LINKS: Final = 500
_LONGEST: Final = 4_000  # of an item that is looked at


@dataclass(frozen=True, slots=True)
class Observation:
    """A statement in a note, at a line."""

    line: int
    text: str
    category: str
    tags: list[str]
    context: str | None


@dataclass(frozen=True, slots=True)
class Task:
    """A task in a note, at a line; ``due`` as it is written."""

    line: int
    text: str
    due: str | None


@dataclass(slots=True)
class Note:
    """Lines of a note that mean something: those that are done or put off are only counted."""

    observations: list[Observation] = field(default_factory=list[Observation])
    tasks: list[Task] = field(default_factory=list[Task])
    links: list[JSON] = field(default_factory=list[JSON])
    done: int = 0
    put_off: int = 0


def lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of a text with their numbers, without blocks of code and quotations."""
    fence = ""
    for number, line in enumerate(text.split("\n"), start=1):
        line = line.rstrip("\r")
        if (mark := _FENCE.match(line)) is not None:
            if not fence:
                fence = mark["mark"]
                continue
            if mark["mark"].startswith(fence):
                fence = ""
                continue
        if not fence and not line.lstrip().startswith(">"):
            yield number, line


def item_of(line: str) -> str | None:
    """Return the text of an item of a list; None of any other line, and of one that is very long."""
    found = _ITEM.fullmatch(line) if len(line) <= _LONGEST else None
    return None if found is None else found["text"].strip()


def note_of(body: str, *, before: int) -> Note:
    """Return the statements of a note by line; ``before`` is how many lines come before the body."""
    note = Note()
    for number, line in lines(body):
        item = item_of(line)
        if item is None or not _take(note, item, number + before):
            _link(note, item or line)
    return note


def _take(note: Note, item: str, line: int) -> bool:
    """Take an item of a list; return False if it is neither an observation, nor a task, nor a relation."""
    if (task := _TASK.fullmatch(item)) is not None:
        _take_task(note, task, line)
        return False  # it may link
    if (said := _OBSERVATION.fullmatch(item)) is not None and not _CLOCK.fullmatch(said["category"].strip()):
        observation = _observation(said, line)
        if observation is not None:
            note.observations.append(observation)
        return False
    if (relation := _RELATION.fullmatch(item)) is not None:
        made = {
            "type": relation["type"].strip("\"'"),
            "to": _target(relation["target"]),
            "context": (relation["context"] or "").strip(),
        }
        _add(note, {name: value for name, value in made.items() if value})
        return True
    return False


def _take_task(note: Note, task: re.Match[str], line: int) -> None:
    if task["mark"] in _OPEN:
        due = _DUE.search(task["text"])
        text = _DUE.sub("", task["text"]).strip()
        note.tasks.append(Task(line, text or task["text"].strip(), due and due["due"]))
    elif task["mark"] in _DROPPED:
        note.done += 1
    else:
        note.put_off += 1


def _observation(said: re.Match[str], line: int) -> Observation | None:
    text, context = said["text"].strip(), None
    tags = [tag["tag"] for tag in _TAG.finditer(text)]
    text = _without_last_tags(text)
    if (found := _CONTEXT.search(text)) is not None:
        context, text = found["context"].strip(), _without_last_tags(text[: found.start()])
    return Observation(line, text, said["category"].strip(), tags, context or None) if text else None


def _without_last_tags(text: str) -> str:
    words = text.split()
    if not words or not words[-1].startswith("#"):
        return text.rstrip()
    while words and words[-1].startswith("#"):
        words.pop()
    return " ".join(words)


def _link(note: Note, line: str) -> None:
    for link in _LINK.finditer(line):
        _add(note, {"type": "links_to", "to": _target(link["target"])})


def _add(note: Note, link: dict[str, str]) -> None:
    if link.get("to") and len(note.links) < _MOST_LINKS and link not in note.links:
        note.links.append(link)


def _target(target: str) -> str:
    """Return the name of a note in a link, without what is shown in its place."""
    return target.partition("|")[0].strip()
