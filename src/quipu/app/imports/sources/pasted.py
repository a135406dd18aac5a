"""Memories as an assistant lists them when asked to, a text that was pasted into a file.

ChatGPT, Claude and Gemini move memories by a prompt ("list every memory you have stored about me, one a line,
as [date saved, if available] - memory content"). Read are the fenced blocks, if there are any, else the whole
text: lines ``[2026-01-15] - Lives in Lisbon``, with ``-``, ``–``, ``—`` or ``:`` behind the date, bulleted,
numbered or bare, dated or not; indented lines go on with the memory before; headings (``## Projects``,
``**Projects**``, ``Projects:``) are the category of those below. A text without any such line is read by its
paragraphs. The date is when the memory was saved; a year or a month is its first day. Ids are those that
portable-memory 0.3 makes of the same text: a digest of day and words.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final

from quipu.app.imports.fields import Account
from quipu.app.imports.files import SourceFiles
from quipu.app.imports.found import Stated
from quipu.app.imports.source import Source
from quipu.errors import BadInput

_FILE: Final = r"(?:.*/)?[^/]+\.(?:txt|md)"
_BULLET: Final = re.compile(r"(?:[-*•–—]|\(?\d{1,3}[.)]) +")
_DATED: Final = re.compile(
    r"\[(?P<inside>[^\]\n]{0,100})\] *[-–—:]? *(?P<said>.*)"
    r"|(?P<iso>\d{4}-\d\d-\d\d) *[-–—:] *(?P<words>.*)"
)
_RECOGNISED: Final = re.compile(
    r"(?m)^[ \t]*(?:(?:[-*•]|\d{1,3}[.)]) +)?\[(?P<date>[^\]\n]{4,40})\] *[-–—:] *\S"
)
_HEADING: Final = re.compile(r"#+ *(?P<marked>.+)|\*\*(?P<bold>[^*]+)\*\*:?|(?P<plain>[^\[:]{1,80}):")
_LONGEST_HEADING: Final = 8
_FORMS: Final = (
    "%Y-%m-%d",
    "%Y-%m-%dT%H:%M:%SZ",
    "%Y-%m",
    "%Y",
    "%B %Y",
    "%b %Y",
    "%B %d %Y",
    "%b %d %Y",
    "%d %B %Y",
    "%d %b %Y",
)
_ORDINAL: Final = re.compile(r"(?<=\d)(?:st|nd|rd|th)\b")
_ASSUMED: Final = "a memory whose day is not given was saved on the first of its month or year"


@dataclass(frozen=True, slots=True)
class _Entry:
    """A memory as it stands in the text: its line, the heading over it, its date as written, its words."""

    line: int
    heading: str | None
    date: str | None
    words: str


def _recognise(files: SourceFiles) -> bool:
    """Look for a date in brackets before words, as the prompts ask for."""
    names = files.like(_FILE)
    if len(names) != 1 or len(files.names) != 1:
        return False
    start = files.begin(names[0], 1 << 16).decode("utf-8", "replace")
    return any(_day(found["date"]) is not None for found in _RECOGNISED.finditer(start))


def _read(files: SourceFiles, account: Account) -> Iterator[Stated]:
    names = files.like(_FILE) or list(files.names)
    met: set[str] = set()
    for name in names:
        text = files.text(name)
        if not text.strip():
            raise BadInput(f"{name} is empty.", field="path")
        for entry in _entries(_body(text)):
            stated = _stated(entry, account)
            if stated.id in met:
                account.leave_out("memory that was there before")
                continue
            met.add(stated.id)
            yield stated


def _body(text: str) -> list[str]:
    """Return the lines of the fenced blocks, if there are any, else all."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    inside, fenced, is_fenced = False, list[str](), False
    for line in lines:
        if line.strip().startswith("```"):
            inside, is_fenced = not inside, True
        elif inside:
            fenced.append(line)
    return fenced if is_fenced else lines


def _entries(lines: Sequence[str]) -> Iterator[_Entry]:
    if not any(_is_marked(line) for line in lines):
        yield from _paragraphs(lines)
        return
    heading: str | None = None
    entry: _Entry | None = None
    held: list[str] = []
    for number, line in enumerate(lines, start=1):
        stripped = line.strip()
        if stripped and entry and line[0] in " \t":
            held.append(stripped)
            continue
        if entry:
            yield replace(entry, words="\n".join(held))
        entry = None
        bare = _BULLET.sub("", stripped, count=1) if _BULLET.match(stripped) else stripped
        if bare == stripped and (named := _heading(stripped)):
            heading = named
            continue
        date, words = _split(bare)
        if words:
            entry, held = _Entry(number, heading, date, words), [words]
    if entry:
        yield replace(entry, words="\n".join(held))


def _paragraphs(lines: Sequence[str]) -> Iterator[_Entry]:
    held: list[str] = []
    for number, line in enumerate([*lines, ""], start=1):
        if line.strip():
            held.append(line.strip())
        elif held:
            yield _Entry(number - len(held), None, None, "\n".join(held))
            held = []


def _is_marked(line: str) -> bool:
    line = line.strip()
    return bool(_BULLET.match(line) or line.startswith("[") or _split(line)[0] or _heading(line))


def _heading(line: str) -> str | None:
    """Return the words of a heading, if a line is one."""
    found = _HEADING.fullmatch(line)
    if found is None:
        letters = [letter for letter in line if letter.isalpha()]
        is_loud = len(letters) > 2 and len(line.split()) <= 6 and all(map(str.isupper, letters))
        return line if is_loud and " - " not in line and not line.startswith("[") else None
    plain = found["plain"]
    if plain is not None and (len(plain.split()) > _LONGEST_HEADING or " - " in plain):
        return None
    return (found["marked"] or found["bold"] or plain or "").strip(" :") or None


def _split(line: str) -> tuple[str | None, str]:
    """Return the date as it is written, and the words behind it."""
    found = _DATED.fullmatch(line)
    if found is None:
        return None, line
    date, words = (found["inside"], found["said"]) if found["iso"] is None else (found["iso"], found["words"])
    return date.strip() or None, words.strip()


def _day(date: str) -> tuple[datetime, bool] | None:
    """Return a date, and True if it is of a day; None if it is none."""
    written = _ORDINAL.sub("", " ".join(date.replace(",", " ").split())).replace("Sept ", "Sep ")
    for form in _FORMS:
        try:
            return datetime.strptime(written, form).replace(tzinfo=UTC), "%d" in form
        except ValueError:
            continue
    return None


def _stated(entry: _Entry, account: Account) -> Stated:
    time, is_whole = (entry.date and _day(entry.date)) or (None, True)
    if not is_whole:
        account.assume(_ASSUMED)
    day = time.date().isoformat() if time else ""
    digest = hashlib.sha256(f"{day}\n{entry.words}".encode("utf-8", "replace")).hexdigest()
    return Stated(
        id=f"tx_{digest[:24]}",
        text=entry.words,
        category=entry.heading,
        time=time,
        metadata={"date": entry.date} if entry.date and time is None else {},
        raw={"line": entry.line, "heading": entry.heading, "date": entry.date, "text": entry.words},
    )


SOURCE: Final = Source(
    name="pasted",
    title="Memories as text",
    takes="memories that ChatGPT, Claude or Gemini listed when asked to",
    recognise=_recognise,
    read=_read,
)
