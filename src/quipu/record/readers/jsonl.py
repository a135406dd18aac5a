"""Messages from JSON Lines, one at a time, however long or broken the lines are.

One object a line, of which only ``content`` is required:
{"session": …, "id": …, "role": …, "speaker": …, "content": …, "time": …, "user": …}
"""

from __future__ import annotations

import json
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedIOBase
from pathlib import Path
from typing import BinaryIO, Final, cast

from quipu.errors import BadInput, NotFound
from quipu.kernel.base.depth import TOO_DEEP, is_too_deep
from quipu.kernel.base.lines import (
    LINE_BYTES,
    NO_FILE,
    PIPE_IN,
    TOO_LONG,
    compression,
    next_line,
    open_regular,
    rest_of_line,
)
from quipu.record.model import FoundMessage, Refusal

_BOM: Final = b"\xef\xbb\xbf"
_UTF16_BOMS: Final = (b"\xff\xfe", b"\xfe\xff")
Source = str | Path | Iterable[bytes] | Iterable[str]
"""A path, an open binary file, or the lines themselves."""


def read(source: Source) -> FromFile:
    """Read every message of the file, not yet checked, and a refusal for every line that holds none.

    Both know the number of their line, and the name of the file where there is one. UTF-8, with or without a
    byte order mark; blank lines are passed over. Memory is bounded by the longest line; one beyond 64 MiB is
    refused without being loaded. A file that is compressed is refused, not unpacked.

    Raises:
        NotFound: there is no such file.
        BadInput: it is a directory, a pipe or a device, or we may not read it.
    """
    return FromFile(_read(source))


def _read(source: Source) -> Iterator[FoundMessage | Refusal]:
    if isinstance(source, str | Path):
        path = Path(source)
        with opened(path) as file:
            yield from _messages(lines(file), str(path))
    else:
        yield from _messages(lines(source), None)


def _messages(found: Iterator[RawLine], file: str | None) -> Iterator[FoundMessage | Refusal]:
    for line in found:
        if line.data is None:
            yield Refusal(line.number, None, f"it is {TOO_LONG}; split its message into several.", file)
        elif (reason := unreadable(line)) is not None:
            yield Refusal(1, None, reason, file)
            return
        else:
            said = parse(line.data)
            if isinstance(said, str):
                yield Refusal(line.number, None, said, file)
            else:
                yield FoundMessage(said, number=line.number, file=file)


class FromFile(Iterator[FoundMessage | Refusal]):
    """Messages of a file, each read when it is asked for, by whatever thread: that may wait for a pipe."""

    def __init__(self, messages: Iterator[FoundMessage | Refusal]) -> None:
        self._messages = messages

    def __next__(self) -> FoundMessage | Refusal:
        """Return the next one."""
        return next(self._messages)


def lines(source: BinaryIO | BufferedIOBase | Iterable[bytes | str]) -> Iterator[RawLine]:
    """Yield every line, numbered from 1, without blank ones. One line of a file is in memory at a time."""
    numbered = _of_file(source) if isinstance(source, BufferedIOBase) else _of_iterable(source)
    for line in numbered:
        if line.data is None or line.data.strip():
            yield line


@dataclass(frozen=True, slots=True)
class RawLine:
    """One line without its end, and whether it had one: the last line may be half-written.

    ``data`` is None where the line was too long to load.
    """

    number: int
    data: bytes | None
    ended: bool


def parse(data: bytes) -> dict[str, object] | str:
    """Return the object in a line of JSON, or the reason why there is none."""
    if is_too_deep(data):
        return f"{TOO_DEEP}."
    try:
        # Surrogates may pass here: what of them cannot be stored is repaired where content is checked.
        said: object = json.loads(data.decode("utf-8"))
    except UnicodeDecodeError as broken:
        return f"it is not UTF-8 (byte {broken.start + 1}); save the file as UTF-8."
    except json.JSONDecodeError as broken:
        return f"it is not JSON: {broken.msg} at character {broken.pos + 1}."
    except ValueError:  # a number with more digits than Python converts
        return "it holds a number that is too long."
    if isinstance(said, dict):
        return cast("dict[str, object]", said)
    if isinstance(said, list):
        return "it is a list; put one object on each line (jq -c '.[]' does it)."
    return 'it is not an object such as {"content": "…"}.'


@contextmanager
def opened(path: Path) -> Generator[BinaryIO]:
    """Open the file for reading bytes.

    Raises:
        NotFound: there is no such file.
        BadInput: it is a directory, a pipe or a device, or we may not read it.
    """
    try:
        file = open_regular(path)
    except FileNotFoundError as missing:
        raise NotFound(f"There is no file {path}.") from missing
    except IsADirectoryError as directory:
        raise BadInput(f"{path} is a directory.", hint="Name a file in it.") from directory
    except OSError as failed:
        hint = PIPE_IN if failed.strerror == NO_FILE else None
        raise BadInput(f"{path} cannot be read: {failed.strerror}.", hint=hint) from failed
    with file:
        yield file


def unreadable(line: RawLine) -> str | None:
    """Return why no line of a file can be read that begins with this one, or None where that may be."""
    if line.number != 1 or line.data is None:
        return None
    if line.data.startswith(_UTF16_BOMS):
        return "the file is UTF-16; save it as UTF-8 and read it again."
    packed = compression(line.data)
    return f"the file is compressed ({packed}); unpack it and read it again." if packed else None


def _of_file(file: BufferedIOBase) -> Iterator[RawLine]:
    number = 0
    while (line := next_line(file)) is not None:
        number += 1
        if line.whole:
            yield RawLine(number, _bare(line.data, number), line.data.endswith(b"\n"))
        else:
            yield RawLine(number, None, ended=_skip(file))


def _of_iterable(source: Iterable[bytes | str]) -> Iterator[RawLine]:
    for number, line in enumerate(source, start=1):
        data = line.encode("utf-8", "surrogatepass") if isinstance(line, str) else line
        yield RawLine(number, None if len(data) > LINE_BYTES else _bare(data, number), ended=True)


def _skip(file: BufferedIOBase) -> bool:
    """Pass over the rest of a line; whether it had an end."""
    ended = False
    for piece in rest_of_line(file):
        ended = piece.endswith(b"\n")
    return ended


def _bare(data: bytes, number: int) -> bytes:
    data = data.rstrip(b"\r\n")
    return data.removeprefix(_BOM) if number == 1 else data
