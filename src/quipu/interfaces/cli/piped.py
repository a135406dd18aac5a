"""What comes in whole, from a file or a pipe, as text."""

from __future__ import annotations

import sys
from pathlib import Path

from quipu.errors import BadInput, TooLarge
from quipu.kernel.base.lines import TOO_LONG, all_of, compression
from quipu.kernel.base.regular import NO_FILE, PIPE_IN, open_regular

_PIPE = "-"


def text_of(given: str | Path, *, field: str | None = None) -> str:
    """Return the text of a file, or of standard input to its end where ``-`` is given.

    Raises:
        BadInput: it is no regular file, cannot be read, or is compressed or not UTF-8; names the field.
        TooLarge: it is longer than 64 MiB.
    """
    where = "standard input" if str(given) == _PIPE else str(given)
    try:
        if str(given) == _PIPE:
            raw = all_of(sys.stdin.buffer)
        else:
            with open_regular(Path(given)) as file:
                raw = all_of(file)
    except OSError as error:
        told = f"{where} cannot be read: {error.strerror or error}."
        raise BadInput(told, field=field, hint=PIPE_IN if error.strerror == NO_FILE else None) from error
    if raw is None:
        raise TooLarge(f"{where} is {TOO_LONG}.", field=field, hint="Hand it in in parts.")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        packed = compression(raw)
        hint = f"It is compressed ({packed}); unpack it." if packed else "Convert it: iconv -t UTF-8"
        raise BadInput(f"{where} is not UTF-8 at byte {error.start:,}.", field=field, hint=hint) from error
