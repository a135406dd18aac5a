"""Texts on their way into the database: storable, without our own memory in them, without secrets."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, Protocol, cast

import orjson

from quipu.kernel.base.text import Marks, clean, mentions
from quipu.kernel.redact import Redacted, redact
from quipu.kernel.redact.many import redact_many
from quipu.kinds.transcripts.formats.model import Reading, TranscriptEntry

_ENCODE: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
_SHORT_CHARACTERS: Final = 200
_NONE: Final[Mapping[int, Redacted]] = {}
_SECRET_NAMES: Final = ("pass", "pwd", "senha", "token", "secret", "key", "credential", "auth")
_ABOUT_SESSION: Final = (
    *("project_path", "cwd", "git_branch", "custom_title", "ai_title", "first_prompt", "last_prompt"),
    *("pr_url", "agent_type", "agent_description"),
)


class Owner(Protocol):
    """Owner of a JSON value that also keeps its text."""

    json: str | None


@dataclass(slots=True)
class _Value:
    """A text that several owners have."""

    text: str
    owners: list[object] = field(default_factory=list[object])


class Cleaner:
    """Cleans fields of values in place, all together in ``finish``.

    ``secrets``: whether to cut them out. ``marks`` are those of the space: what bears them came from this
    memory, and is cut out. ``redacted`` counts secrets by kind, ``repaired`` the characters that no database
    can store, ``came_back`` memory by the names that reports give it.
    """

    def __init__(self, *, secrets: bool, marks: Marks) -> None:
        self._secrets = secrets
        self._marks = marks
        self._texts: list[str] = []
        self._places: dict[str, int] = {}
        self._owners: list[tuple[int, object, str]] = []
        self._documents: list[tuple[int, Owner, str]] = []
        self.redacted: Counter[str] = Counter()
        self._repeated: list[tuple[_Value, str, str]] = []
        self.repaired = 0
        self.came_back: Counter[str] = Counter()

    def add(self, owner: object, *names: str) -> None:
        """Add fields that hold a text, or None."""
        for name in names:
            text = getattr(owner, name)
            if text:
                if not text.isascii() or "\0" in text or mentions(text):
                    text = self._storable(text)
                    setattr(owner, name, text)
                self._owners.append((self._place(text), owner, name))

    def _place(self, text: str) -> int:
        """Return the place of a text among those to look at; repeated names and paths are there once."""
        if len(text) > _SHORT_CHARACTERS:
            self._texts.append(text)
            return len(self._texts) - 1
        place = self._places.setdefault(text, len(self._texts))
        if place == len(self._texts):
            self._texts.append(text)
        return place

    def repeated(self, owners: Iterable[object], field: str) -> None:
        """Add a field that has the same few values in many owners."""
        values: dict[str, _Value] = {}
        for owner in owners:
            text: str | None = getattr(owner, field)
            if text:
                if text not in values:
                    values[text] = _Value(text)
                    self.add(values[text], "text")
                values[text].owners.append(owner)
        self._repeated += [(value, field, text) for text, value in values.items()]

    def document(self, owner: Owner, field: str) -> None:
        """Add a field that holds a JSON value; its text is put into ``owner.json``."""
        value = getattr(owner, field)
        leaves, text = _leaves(value), _dumped(value)
        if text is None or not text.isascii() or "\\u0000" in text or mentions(text):
            value = self._rebuilt(value)
            setattr(owner, field, value)
            leaves, text = _leaves(value), _dumped(value) or "null"
        owner.json = text
        self._documents += [(self._place(leaf), owner, field) for leaf in leaves]

    def finish(self) -> None:
        """Cut the secrets out of all that was added."""
        secrets = redact_many(self._texts) if self._secrets else _NONE
        if secrets:
            self._cut(secrets)
        for value, name, before in self._repeated:
            if value.text != before:
                for owner in value.owners:
                    setattr(owner, name, value.text)

    def _cut(self, secrets: Mapping[int, Redacted]) -> None:
        for place, owner, name in self._owners:
            redacted = secrets.get(place)
            if redacted is not None:
                self.redacted.update(redacted.counts)
                setattr(owner, name, redacted.text)
                if isinstance(owner, TranscriptEntry) and name == "text":
                    owner.secrets += sum(redacted.counts.values())
        again = {id(owner): (owner, name) for place, owner, name in self._documents if place in secrets}
        for document, name in again.values():
            clean_value = self._without_secrets(getattr(document, name), "")
            setattr(document, name, clean_value)
            document.json = _dumped(clean_value) or "null"

    def _storable(self, text: str) -> str:
        if not text.isascii() or "\0" in text:
            cleaned = clean(text)
            self.repaired += cleaned.repaired
            if cleaned.repaired or cleaned.text != text:
                text = cleaned.text
        if mentions(text):
            heard = self._marks.hear(text)
            self.came_back.update(heard.counts)
            text = heard.text
        return text

    def _rebuilt(self, value: object) -> object:
        """Return a JSON value that a database can store: no half characters, no numbers beyond all bounds."""
        if isinstance(value, str):
            return self._storable(value)
        if isinstance(value, float):
            return value if value - value == 0 else repr(value)
        if isinstance(value, dict):
            items = cast("Mapping[str, object]", value).items()
            return {self._storable(name): self._rebuilt(inner) for name, inner in items}
        if isinstance(value, list):
            return [self._rebuilt(inner) for inner in cast("list[object]", value)]
        return value

    def _without_secrets(self, value: object, called: str) -> object:
        if isinstance(value, str):
            return self._told(value, called)
        if isinstance(value, dict):
            items = cast("Mapping[str, object]", value).items()
            return {self._told(name, ""): self._without_secrets(inner, name) for name, inner in items}
        if isinstance(value, list):
            return [self._without_secrets(inner, called) for inner in cast("list[object]", value)]
        return value

    def _told(self, text: str, called: str) -> str:
        """Return the text without secrets; it may be one only because of what it is called."""
        alone = redact(text)
        assigned = f"{called}="
        if called and not alone.counts:
            given = redact(assigned + text)
            if given.counts and given.text.startswith(assigned):
                self.redacted.update(given.counts)
                return given.text.removeprefix(assigned)
        self.redacted.update(alone.counts)
        return alone.text


def clean_reading(reading: Reading, *, secrets: bool, marks: Marks) -> int:
    """Clean all texts of a reading in place; how many characters no database could store."""
    cleaner = Cleaner(secrets=secrets, marks=marks)
    for name in ("cwd", "git_branch", "model"):
        cleaner.repeated(reading.entries, name)
    for entry in reading.entries:
        cleaner.add(entry, "text", "thinking")
        for call in entry.calls:
            cleaner.add(call, "path")
            cleaner.document(call, "input")
        for result in entry.results:
            cleaner.add(result, "content", "spilled_from")
        if entry.rest is not None:
            cleaner.document(entry, "rest")
    reading.came_back.update(cleaner.came_back)  # once: what follows repeats words of the lines
    for details in reading.details.values():
        cleaner.add(details, *_ABOUT_SESSION)
    for summary in reading.summaries:
        cleaner.add(summary, "text")
    cleaner.finish()
    reading.redacted.update(cleaner.redacted)
    return cleaner.repaired


def _dumped(value: object) -> str | None:
    """Return the value as JSON; None if it has numbers that JSON has not."""
    try:
        text = orjson.dumps(value).decode()
    except TypeError:  # half characters, whole numbers beyond 64 bits, nested too deeply
        text = None
    if text is not None and "null" not in text:  # which NaN becomes too
        return text
    try:
        return _ENCODE(value)
    except ValueError:
        return None


def _leaves(value: object) -> list[str]:
    """Return the texts in a JSON value, as they stand and as assigned to a telling name."""
    leaves: list[str] = []
    pending: list[tuple[object, str]] = [(value, "")]
    while pending:
        inner, called = pending.pop()
        if isinstance(inner, str):
            leaves.append(inner)
            if called and _tells(called):
                leaves.append(f"{called}={inner}")
        elif isinstance(inner, dict):
            items = cast("Mapping[str, object]", inner)
            leaves += items
            pending += [(one, name) for name, one in items.items()]
        elif isinstance(inner, list):
            pending += [(one, called) for one in cast("list[object]", inner)]
    return leaves


@lru_cache(maxsize=4096)
def _tells(name: str) -> bool:
    """Return True if a name may say that its value is secret."""
    name = name.lower()
    return any(word in name for word in _SECRET_NAMES)
