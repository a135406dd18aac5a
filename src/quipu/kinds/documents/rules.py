"""Rules of documents: what may be a path, a key and a content, and what of it is found by meaning."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final, cast
from uuid import UUID

from quipu.errors import BadInput, TooLarge
from quipu.kernel.base import scope
from quipu.kernel.redact import redact
from quipu.kinds.documents.model import JSON
from quipu.record import items

encode: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
SEPARATOR: Final = "\x1f"
_AFTER_SEPARATOR: Final = "\x20"
LARGEST_BYTES: Final = 16 * 2**20
LONGEST_ADDRESS_BYTES: Final = 2_000
LONGEST_TTL_SECONDS: Final = 100 * 366 * 86_400
_MOST_NAMES: Final = 100
_MOST_DIMENSIONS: Final = 16_000
_MOST_INDEX_PATHS: Final = 100
_ENTRY: Final = re.compile(r"-?\d{1,19}", re.ASCII)
_UNFIT: Final = re.compile("[\0\x1f\ud800-\udfff]")
_NUL: Final = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")
_STEP: Final = re.compile(r"(?P<name>[^.\[\]]+)|\[(?P<place>-?\d+|\*)\]|(?P<dot>\.)")
_PLAIN_NAMES: Final = frozenset({"text", "content", "memory", "body", "data", "value"})


def names(field: str, path: object) -> list[str]:
    """Return a path as names: a text has slashes between them.

    Raises:
        BadInput: it is empty, or a name of it is; the error names ``field``.
    """
    given = path.strip("/").split("/") if isinstance(path, str) else path
    if not isinstance(given, Sequence) or not given or given == [""]:
        raise BadInput("a path of at least one name is needed.", field=field, hint='Such as "notes/work".')
    parts = [key_name(field, name) for name in cast(Sequence[object], given)]
    if len(parts) > _MOST_NAMES:
        raise BadInput(f"it has {len(parts):,} names; {_MOST_NAMES} are the most.", field=field)
    return parts


def key_name(field: str, name: object) -> str:
    """Return a key, or a name of a path, that can be stored.

    Raises:
        BadInput: it is empty or cannot be stored; the error names ``field``.
    """
    if not isinstance(name, str) or not name:
        raise BadInput("a name is needed.", field=field, hint='Such as "notes".')
    if len(name) > scope.LONGEST:
        raise BadInput(f"it has {len(name):,} characters; {scope.LONGEST} are the most.", field=field)
    if _UNFIT.search(name):
        raise BadInput("it has a NUL, a unit separator or half a character in it.", field=field)
    scope.refuse_secret(field, name)
    return name


def place(field: str, path: object) -> str:
    """Return a path as it is stored, checked."""
    given = tuple(cast(Sequence[object], path)) if isinstance(path, list | tuple) else ()
    if given and all(type(name) is str for name in given):
        return _place(field, cast(tuple[str, ...], given))
    return stored(names(field, cast(object, path)))


@lru_cache(maxsize=1_000)
def _place(field: str, path: tuple[str, ...]) -> str:
    return stored(names(field, path))


def stored(path: Sequence[str]) -> str:
    """Return the names of a path as they are stored."""
    return SEPARATOR.join([*path, ""])


def address(path: object, key: object) -> tuple[str, str]:
    """Return the place and the key of a document.

    Raises:
        BadInput: a path or a key cannot be stored; the error says which.
    """
    at, name = place("path", path), key_name("key", key)
    if (size := len(at.encode()) + len(name.encode())) > LONGEST_ADDRESS_BYTES:
        raise BadInput(
            f"path and key have {size:,} bytes together; {LONGEST_ADDRESS_BYTES:,} are the most.",
            field="path",
        )
    return at, name


def below(field: str, path: object | None) -> tuple[str, str] | tuple[None, None]:
    """Return the first place below a path, the path itself included, and the first behind it."""
    if path is None:
        return None, None
    first = place(field, path)
    return first, first[:-1] + _AFTER_SEPARATOR


def dumped(field: str, value: JSON) -> str:
    """Return a value as JSON.

    Raises:
        BadInput: it is no JSON that can be stored, such as NaN or a NUL; the error says why.
    """
    try:
        text = encode(value)
        if not text.isascii():
            text.encode()
        if not _has_texts_as_names(value):
            raise TypeError("a name in it is no text")
    except RecursionError as error:
        raise BadInput("it is nested too deep.", field=field) from error
    except UnicodeEncodeError as error:
        raise BadInput("it has half a character in it (a lone surrogate).", field=field) from error
    except (TypeError, ValueError) as error:
        why = "it refers to itself" if "Circular" in str(error) else f"it is no JSON: {error}"
        raise BadInput(f"{why}.", field=field, hint="Numbers must be finite, names texts.") from error
    if "\\u0000" in text and _NUL.search(text):
        raise BadInput("it has a NUL character in it.", field=field)
    return text


def _has_texts_as_names(value: JSON) -> bool:
    """Return True if the names in all objects of a value are texts; JSON would make texts of numbers."""
    left = [value]
    while left:
        one = left.pop()
        if isinstance(one, dict):
            members = cast(dict[object, JSON], one)
            if not all(isinstance(name, str) for name in members):
                return False
            left += members.values()
        elif isinstance(one, list | tuple):
            left += cast(Sequence[JSON], one)
    return True


def text(field: str, body: object) -> str | None:
    """Return a text that can be stored.

    Raises:
        BadInput: it is no text, or has a NUL or half a character in it.
    """
    if body is None:
        return None
    if not isinstance(body, str):
        raise BadInput(f"it is a {type(body).__name__}, not a text.", field=field)
    if "\0" in body:
        raise BadInput("it has a NUL character in it.", field=field)
    if not body.isascii() and re.search("[\ud800-\udfff]", body):
        raise BadInput("it has half a character in it (a lone surrogate).", field=field)
    return body


def check_size(value: str | None, body: str | None) -> None:
    """Refuse a content of more than 16 MB.

    Raises:
        TooLarge: it has more.
    """
    most = 4 * (len(value or "") + len(body or ""))  # bytes, at four a character
    if most <= LARGEST_BYTES:
        return
    if (size := sum(len(one.encode()) for one in (value, body) if one is not None)) > LARGEST_BYTES:
        raise TooLarge(
            f"it has {size / 2**20:.1f} MB; {LARGEST_BYTES // 2**20} are the most.",
            field="value" if body is None else "body",
            hint="Split it, or store a pointer to it.",
        )


def without_secrets(value: JSON, body: str | None) -> tuple[JSON, str | None, int]:
    """Return a value and a body with every secret in them cut out, and how many there were."""
    cut, counts = items.without_secrets({"": value})
    said = None if body is None else redact(body)
    if said is not None:
        counts.update(said.counts)
    return cut[""], None if said is None else said.text, sum(counts.values())


def vectors(given: object) -> list[str] | None:
    """Return vectors of the caller's own as PostgreSQL reads them; None where none are given.

    Raises:
        BadInput: one of them is no list of finite numbers, or has more than 16,000.
    """
    if given is None:
        return None
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise BadInput("a list of vectors is needed.", field="vectors")
    return [vector("vectors", one) for one in cast(Sequence[object], given)]


def vector(field: str, given: object) -> str:
    """Return a vector as PostgreSQL reads it.

    Raises:
        BadInput: it is no list of finite numbers, or has more than 16,000.
    """
    is_list = isinstance(given, Sequence) and not isinstance(given, str)
    numbers = cast(Sequence[object], given) if is_list else ()
    if not 0 < len(numbers) <= _MOST_DIMENSIONS:
        raise BadInput(f"a list of 1 to {_MOST_DIMENSIONS:,} numbers is needed.", field=field)
    if not all(isinstance(one, int | float) and math.isfinite(one) for one in numbers):
        raise BadInput("it has something in it that is no finite number.", field=field)
    return f"[{','.join(map(str, numbers))}]"


def ttl(seconds: object) -> float | None:
    """Return the seconds after which a document expires; None if it does not.

    Raises:
        BadInput: they are not above 0, or more than 100 years.
    """
    if seconds is None:
        return None
    if (
        isinstance(seconds, bool)
        or not isinstance(seconds, int | float)
        or not 0 < seconds <= LONGEST_TTL_SECONDS
    ):
        raise BadInput("a number of seconds above 0 is needed, 100 years at most.", field="ttl_seconds")
    return float(seconds)


def document_id(field: str, given: object) -> str:
    """Return the id of a document as text.

    Raises:
        BadInput: it is no id.
    """
    try:
        return str(UUID(str(given)))
    except ValueError as error:
        raise BadInput("it is no id of a document.", field=field) from error


def entry(field: str, given: object) -> int:
    """Return the number of an entry, which the id of a hit is.

    Raises:
        BadInput: it is no such number.
    """
    text = str(given)
    if not _ENTRY.fullmatch(text) or not -(2**63) <= int(text) < 2**63:
        raise BadInput("it is no id of a hit.", field=field)
    return int(text)


def index_paths(index: object) -> list[str]:
    """Return the paths into the value that are found by meaning; ``$`` is all of it, and the body.

    Raises:
        BadInput: one of them is no path.
    """
    if isinstance(index, bool):
        return ["$"] if index else []
    if isinstance(index, str) or not isinstance(index, Sequence):
        raise BadInput("true, false or a list of paths is needed.", field="index", hint='Such as ["title"].')
    paths = cast(Sequence[object], index)
    if len(paths) > _MOST_INDEX_PATHS:
        raise BadInput(f"it has {len(paths)} paths; {_MOST_INDEX_PATHS} are the most.", field="index")
    for path in paths:
        if not isinstance(path, str) or len(path) > scope.LONGEST or (path != "$" and not _steps(path)):
            raise BadInput(
                f"{path!r} is no path.", field="index", hint='Such as "title", "a.b" or "tags[*].name".'
            )
    for path in cast(Sequence[str], paths):
        scope.refuse_secret("index", path)
    return list(dict.fromkeys(cast(Sequence[str], paths)))


def _steps(path: str) -> list[str | int | None]:
    """Return the steps of a path: names, places in a list, None for all places; none if it is no path."""
    steps: list[str | int | None] = []
    at = 0
    while at < len(path):
        match = _STEP.match(path, at)
        if match is None or (match["dot"] and (at == 0 or path[at - 1] == "." or match.end() == len(path))):
            return []
        if match["name"]:
            steps.append(None if match["name"] == "*" else match["name"])
        elif match["place"]:
            steps.append(None if match["place"] == "*" else int(match["place"]))
        at = match.end()
    return steps


def at_path(value: JSON, path: str) -> Iterator[str]:
    """Yield what stands at a path of a value as text: each element of ``[*]`` is one of its own."""
    standing: list[JSON] = [value]
    for step in [] if path == "$" else _steps(path):
        standing = [inner for one in standing for inner in _inner(one, step)]
    for one in standing:
        if one is not None and (said := "\n".join(_lines(one, "")).strip()):
            yield said


def _inner(value: JSON, step: str | int | None) -> Iterator[JSON]:
    if isinstance(value, Mapping):
        members = cast(Mapping[str, JSON], value)
        if step is None:
            yield from members.values()
        elif isinstance(step, str) and step in members:
            yield members[step]
    elif isinstance(value, list):
        elements = cast(list[JSON], value)
        if step is None:
            yield from elements
        elif isinstance(step, int) and -len(elements) <= step < len(elements):
            yield elements[step]


def _lines(value: JSON, name: str) -> Iterator[str]:
    """Yield a value as lines, ``name: what it is``; names that say only that a text follows are left out."""
    if isinstance(value, Mapping):
        for inner, one in cast(Mapping[str, JSON], value).items():
            yield from _lines(one, f"{name}.{inner}" if name else inner)
    elif isinstance(value, list):
        elements = cast(list[JSON], value)
        if any(isinstance(one, Mapping | list) for one in elements):
            for one in elements:
                yield from _lines(one, name)
        else:
            yield from _said(", ".join(_scalar(one) for one in elements), name)
    elif value is not None:
        yield from _said(_scalar(value), name)


def _said(said: str, name: str) -> Iterator[str]:
    if said.strip():
        yield said if not name or name.rpartition(".")[2] in _PLAIN_NAMES else f"{name}: {said}"


def _scalar(value: JSON) -> str:
    return value if isinstance(value, str) else json.dumps(value)
