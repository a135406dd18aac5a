"""A value as it is said on a command line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, cast

import click

from quipu.errors import BadInput
from quipu.kernel.base.depth import TOO_DEEP, is_too_deep
from quipu.kernel.redact import redact

_SHORTEST_SECRET: Final = 6
_PAIR = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)


def value_of(words: Sequence[str], *, field: str = "value") -> object:
    """Return the value of the words: ``NAME=VALUE`` pairs are an object, one word is JSON, else text.

    The value of a pair is JSON if it can be (``value=4`` is a number), else a text.

    Raises:
        BadInput: its JSON is nested too deeply; it names the ``field``.
    """
    pairs = [_PAIR.fullmatch(word) for word in words]
    if all(pairs):
        return {pair[1]: _json_or_text(pair[2], field) for pair in pairs if pair is not None}
    return _json_or_text(" ".join(words), field)


def _json_or_text(text: str, field: str) -> object:
    if is_too_deep(text.encode("utf-8", "surrogateescape")):
        raise BadInput(f"{TOO_DEEP}.", field=field)
    try:
        return json.loads(text)
    except ValueError:
        return text


def asked(question: str) -> str:
    """Return the question without secrets: it is kept for ``quipu why``."""
    return redact(question).text


def unrepeated(text: str) -> str:
    """Return the printed text without secrets from the arguments of the command."""
    context = click.get_current_context(silent=True)
    for value in _texts([] if context is None else list(context.params.values())):
        for written in (value, json.dumps(value, ensure_ascii=False)[1:-1]):
            if written in text and (bare := redact(written).text) != written:
                text = text.replace(written, bare)
    return text


def _texts(values: Sequence[object]) -> Iterator[str]:
    """Yield the texts that are long enough for a secret."""
    for value in values:
        if isinstance(value, str | Path):
            if len(str(value)) >= _SHORTEST_SECRET:
                yield str(value)
        elif isinstance(value, list | tuple):
            yield from _texts(cast("Sequence[object]", value))
