"""A value as it is said on a command line."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from quipu.errors import BadInput
from quipu.kernel.base.nesting import TOO_DEEP, is_too_deep

_PAIR = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)


def value_of(words: Sequence[str]) -> object:
    """The value that the words mean: ``NAME=VALUE`` pairs are an object, one word is JSON, the rest is text.

    The value of a pair is JSON where it is that (``value=4`` is a number), else a text.

    Raises:
        BadInput: its JSON is nested too deeply.
    """
    pairs = [_PAIR.fullmatch(word) for word in words]
    if all(pairs):
        return {pair[1]: _json_or_text(pair[2]) for pair in pairs if pair is not None}
    return _json_or_text(" ".join(words))


def _json_or_text(text: str) -> object:
    if is_too_deep(text.encode("utf-8", "surrogateescape")):
        raise BadInput(f"{TOO_DEEP}.", field="value")
    try:
        return json.loads(text)
    except ValueError:
        return text
