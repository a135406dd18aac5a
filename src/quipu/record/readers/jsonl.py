"""Messages from JSON Lines: one object a line, of which only ``content`` is required.

{"session": …, "id": …, "role": …, "speaker": …, "content": …, "time": …, "user": …}
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from quipu.kernel.base.lines import TOO_LONG
from quipu.record.model import Line, Refusal
from quipu.record.readers.lines import FromFile, RawLine, lines, opened, parse, unreadable

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


def _read(source: Source) -> Iterator[Line | Refusal]:
    if isinstance(source, str | Path):
        path = Path(source)
        with opened(path) as file:
            yield from _messages(lines(file), str(path))
    else:
        yield from _messages(lines(source), None)


def _messages(found: Iterator[RawLine], file: str | None) -> Iterator[Line | Refusal]:
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
                yield Line(said, number=line.number, file=file)
