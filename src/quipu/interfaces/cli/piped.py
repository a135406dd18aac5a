"""What comes in as bytes, from a file or a pipe, as text."""

from __future__ import annotations

import sys

from quipu.errors import BadInput


def piped() -> str:
    """Standard input to its end.

    Raises:
        BadInput: it is not UTF-8.
    """
    return decoded(sys.stdin.buffer.read(), "standard input")


def decoded(raw: bytes, where: str) -> str:
    """The text; ``where`` it is from is told where it is none.

    Raises:
        BadInput: it is not UTF-8.
    """
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(
            f"{where} is not UTF-8 at byte {error.start:,}.", hint="Convert it: iconv -t UTF-8"
        ) from error
