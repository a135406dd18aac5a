"""Files that commands take, and input that comes in whole, from a file or a pipe."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import click

from quipu.errors import BadInput, TooLarge
from quipu.kernel.base.depth import TOO_DEEP, is_too_deep
from quipu.kernel.base.lines import NO_FILE, PIPE_IN, TOO_LONG, all_of, compression, open_regular
from quipu.kernel.redact import secret_kind

_PIPE = "-"
_Command = TypeVar("_Command", bound=Callable[..., Any])


class FilePath(click.Path):
    """A path in whose names no secret stands: it is printed, and kept as the name of a file."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path.

        Raises:
            click.BadParameter: its name holds a secret, or it is not what it must be.
        """
        kind = secret_kind(str(value))
        if kind is not None:
            self.fail(f"it holds a secret ({kind}); take another name.", param, ctx)
        return super().convert(value, param, ctx)


def takes_text(command: _Command) -> _Command:
    """Add the argument TEXT and the option --file to a command; ``text_from`` reads one of them."""
    path = FilePath(path_type=Path, exists=True, dir_okay=False)
    file = click.option("--file", "-f", type=path, help="Read the text from a file.")
    return click.argument("text", required=False)(file(command))


def text_from(text: str | None, file: Path | None, *, missing: str, example: str) -> str:
    """Return a text that was given as an argument, in a file, or by standard input (``-``, or a pipe).

    Raises:
        BadInput: both or none were given; ``missing`` and ``example`` tell what is wanted.
    """
    if text is not None and file is not None:
        raise BadInput("give a text or a file, not both.", field="text")
    if file is not None:
        return text_of(file, field="file")
    if text not in (None, _PIPE):
        return str(text)
    if sys.stdin.isatty() and text is None:
        raise BadInput(missing, field="text", hint=example)
    return text_of(_PIPE)


def text_of(path: str | Path, *, field: str | None = None) -> str:
    """Return the text of a file, or of standard input to its end where ``-`` is given.

    Raises:
        BadInput: it is no regular file, cannot be read, or is compressed or not UTF-8; names the field.
        TooLarge: it is longer than 64 MiB.
    """
    where = "standard input" if str(path) == _PIPE else str(path)
    try:
        if str(path) == _PIPE:
            raw = all_of(sys.stdin.buffer)
        else:
            with open_regular(Path(path)) as file:
                raw = all_of(file)
    except OSError as error:
        message = f"{where} cannot be read: {error.strerror or error}."
        raise BadInput(message, field=field, hint=PIPE_IN if error.strerror == NO_FILE else None) from error
    if raw is None:
        raise TooLarge(f"{where} is {TOO_LONG}.", field=field, hint="Hand it in in parts.")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        packed = compression(raw)
        hint = f"It is compressed ({packed}); unpack it." if packed else "Convert it: iconv -t UTF-8"
        raise BadInput(f"{where} is not UTF-8 at byte {error.start:,}.", field=field, hint=hint) from error


def document_of(path: str | Path, *, field: str) -> dict[str, Any]:
    """Return the JSON object in a file, or in standard input where ``-`` is given.

    Raises:
        BadInput: as ``text_of``; or it is no JSON object, or nested too deeply.
    """
    text = text_of(path, field=field)
    if is_too_deep(text.encode("utf-8")):
        raise BadInput(f"{TOO_DEEP}.", field=field)
    try:
        document = json.loads(text)
    except ValueError as error:
        raise BadInput(f"this is no JSON: {error}.", field=field) from None
    if not isinstance(document, dict):
        raise BadInput("a JSON object is needed.", field=field)
    return cast("dict[str, Any]", document)
