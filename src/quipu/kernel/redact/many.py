"""Secrets leave many texts at once: what ``redact`` finds in each of them, at many times its speed.

Nearly all texts have no secret. So the words without which no finder finds anything are looked for in all
texts together; where one stands, the form that must be there too is tried. Only a text in which one fits is
given to ``redact``. (The two agree for every text: a property test.)
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Final

from quipu.kernel.redact import redact
from quipu.kernel.redact.model import Redacted
from quipu.kernel.redact.signs import BETWEEN, named, tells, unnamed

_FEW: Final = 64
_APART_BYTES: Final = 128


def redact_many(texts: Sequence[str]) -> Mapping[int, Redacted]:
    """Redact the texts that have secrets; return the results by their place."""
    parts = [_encoded(text) for text in texts]
    suspects = {place for place, part in enumerate(parts) if part is None}
    suspects |= _suspects([part or b"" for part in parts])
    found = {place: redact(texts[place]) for place in sorted(suspects)}
    return {place: redacted for place, redacted in found.items() if redacted.counts}


def _encoded(text: str) -> bytes | None:
    """Return the bytes of a text; None if it has half a character, or the sign that stands between texts."""
    try:
        part = text.encode()
    except UnicodeEncodeError:
        return None
    return None if BETWEEN in part else part


def _suspects(parts: Sequence[bytes]) -> set[int]:
    """Return the places of texts that may have a secret."""
    data = BETWEEN.join(parts)
    ends = list(accumulate((len(part) + 1 for part in parts), initial=0))
    found: set[int] = set()
    tried: Counter[int] = Counter()
    for at, word in named(data):
        place = bisect_right(ends, at) - 1
        if place in found:
            continue
        tried[place] += 1
        # A text of hardly anything but signs is told by ``redact`` itself sooner than sign by sign.
        if tried[place] > _FEW + len(parts[place]) // _APART_BYTES or tells(word, data, at):
            found.add(place)
    found.update(bisect_right(ends, at) - 1 for at in unnamed(data))
    return found
